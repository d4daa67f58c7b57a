import ChatClient
import ChatWire
import TerminalUI

/// The effect of keys, as a pure state: keys come in, actions go out.
struct Controls: Equatable {
    enum Mode: Equatable {
        /// Writes a message. Next: any other.
        case writing
        /// Writes an answer to a message. Next: `writing`, `selecting`.
        case replying(MessageID)
        /// Edits a message's text. Next: `writing`.
        case editing(MessageID)
        /// Chooses a reaction to a message. Next: `selecting`.
        case reacting(MessageID)
        /// Writes when to remind of a message. Next: `selecting`, `writing`.
        case reminding(MessageID)
        /// Selects a message. Next: `writing`, `replying`, `editing`, `reacting`, `asking`.
        case selecting
        /// Asks before something that cannot be undone. Enter gives the answer held here. Next: `selecting` from a
        /// question about a message, else `writing`.
        case confirming(Question, Answer)
        /// Writes a search. Next: `writing`, `selecting`.
        case searching
        /// Shows the manual. Next: `writing`.
        case helping

        /// True when a key adds to an unsent message.
        var isWritingMessage: Bool {
            switch self {
            case .writing, .replying: true
            case .editing, .reacting, .reminding, .selecting, .confirming, .searching, .helping: false
            }
        }
    }

    /// A question before something that cannot be undone.
    enum Question: Equatable {
        case delete(MessageID)
        /// Gives up the place in a private room.
        case leave(RoomLabel)
        case decline(RoomLabel)
    }

    enum Answer: Equatable {
        /// Leaves everything as it is.
        case keep
        case act

        var other: Answer { self == .keep ? .act : .keep }
    }

    /// An action for the program to perform.
    enum Action: Equatable {
        case command(Command)
        /// Takes back the last deletion, while that is possible.
        case undo
        case scroll(Scroll)
        case select(ListDirection)
        /// Selects no message.
        case selectNone
        /// Searches for a text and selects the nearest message that has it. An empty text ends the search.
        case search(String)
        case searchNext(ListDirection)
        /// Continues the search in messages that are not loaded, if nothing was found.
        case searchOn
        /// Goes to a message, wherever it is in the room.
        case go(PagePlace.Anchor)
        case rooms(Rooms)
        /// Puts the text of a message into the clipboard.
        case copy(MessageID)
        case upload(FileLine)
        /// Puts links to the files of a message into the clipboard; `nil` is the last one that has files.
        case links(MessageID?)
        /// Hides the messages of a user or with a text; an empty rule shows those that there are.
        case ignore(String)
        case unignore(String)
        /// Reads the settings again.
        case reload
        case showNotice(String)
        case redraw
        case suspend
        case quit

        /// A way to another room, or into the list of one's rooms and out of it; `nil` is the room shown.
        enum Rooms: Equatable {
            /// Chooses a room by typing.
            case choose
            /// Shows the previous room of the list with something unread, or the next; if there is none, the neighbour.
            case next(ListDirection)
            /// Marks the room shown as read, and shows the next one with something unread, or the first.
            case nextUnread
            /// Chooses a thread that the user follows.
            case threads
            /// Shows the messages that mention the user.
            case mentions
            /// Shows the pinned messages of the room.
            case pins
            /// Shows the thread of a message.
            case thread(MessageID)
            /// Handles a line about messages and reminders for later.
            case later(LaterLine)
            case block(BlockLine)
            case remind(MessageID, LaterTime)
            /// Shows the column of rooms, or hides it.
            case toggleColumn
            /// Shows two rooms, or only one.
            case split
            /// Gives the keys to the other one of two rooms.
            case turn
            case join(RoomName?)
            /// Leaves a room, after a question if it is a private one.
            case leave(RoomName?)
            /// Leaves a room, or declines to come, after the question.
            case leaveOrDecline(RoomName)
            case about(RoomLine)
            case set(SettingLine)
        }

        /// Marks a message as unread, and all behind it.
        case markUnread(MessageID)
        /// Pins a message, or unpins it.
        case togglePin(MessageID)
        /// Completes the path of a file before the cursor.
        case completePath(PathCompletion)
        /// Completes the name that begins so, before the cursor.
        case completeName(String, of: Circle)

        /// The things whose names a completion searches.
        enum Circle: Equatable {
            /// The names of the people in the room shown.
            case room
            /// The same, and the word for everybody if the user may call everybody.
            case callable
            /// The names of the people in all the user's rooms.
            case everybody
            /// The labels of the rooms that the user is invited to.
            case invitations
            /// The names of the open rooms that are known.
            case rooms
        }

        enum Command: Equatable {
            case send(String, replyTo: MessageID?)
            case edit(MessageID, String)
            case delete(MessageID)
            /// Ends a message that grows.
            case stop(MessageID)
            case moderate(Moderation)
            /// Adds the reaction, or takes it back if it is there.
            case react(MessageID, String)
        }

        enum Scroll: Equatable {
            case lineUp
            case lineDown
            case pageUp
            case pageDown
            case top
            case end

            var direction: ListDirection {
                switch self {
                case .lineUp, .pageUp, .top: .up
                case .lineDown, .pageDown, .end: .down
                }
            }
        }
    }

    enum ListDirection: Equatable {
        case up
        case down
    }

    /// The facts about the selected message that the keys depend on.
    struct Subject: Equatable {
        let id: MessageID
        /// The text with which an edit begins: that of the last edit that was refused, or the message's.
        let text: String
        let isOwn: Bool
        /// True when the user wrote it, or moderates the room.
        let mayDelete: Bool
        /// True for a moderator, and in a direct room.
        var mayPin = false
        /// True of a message that grows, for its author, moderators and those whom it mentions.
        var mayStop = false
        /// The message that it answers.
        var replyTo: MessageID?
        var hasFiles = false
    }

    /// The reactions that a digit chooses.
    static let quickReactions = ["👍", "❤️", "😂", "🎉", "😮", "😢"]

    var mode = Mode.writing
    /// The unsent message, which stays during other modes.
    var draft = LineEditor()
    /// Another text being written: an edit, a reaction, a search.
    var side = LineEditor()

    /// The text being written now.
    var editor: LineEditor {
        get { usesDraft ? draft : side }
        set { if usesDraft { draft = newValue } else { side = newValue } }
    }

    /// True when keys change the text in the editor.
    private var isEditing: Bool {
        switch mode {
        case .writing, .replying, .editing, .reacting, .reminding, .searching: true
        case .selecting, .confirming, .helping: false
        }
    }

    private var usesDraft: Bool {
        switch mode {
        case .writing, .replying, .selecting, .confirming, .helping: true
        case .editing, .reacting, .reminding, .searching: false
        }
    }

    /// The emoji that the last key, a Tab, has put into the line.
    var emojiChoice: EmojiChoice?

    /// True when the last key was a Ctrl-C that had nothing to empty or to leave.
    private var asksToQuit = false

    /// Handles a key.
    ///
    /// - Parameter subject: the selected message.
    mutating func press(_ key: Key, subject: Subject?) -> [Action] {
        if key != .control("c") { asksToQuit = false }
        if key != .named(.tab) { emojiChoice = nil }
        if let actions = everywhere(key) { return actions }
        switch mode {
        case .writing, .replying, .editing, .reacting, .reminding, .searching: return write(key, subject)
        case .selecting: return choose(key, subject)
        case .confirming(let question, let answer): return self.answer(key, question, answer)
        case .helping: return read(key)
        }
    }

    /// Handles a key while the manual is shown.
    private mutating func read(_ key: Key) -> [Action] {
        switch key {
        case .named(.up): return [.scroll(.lineUp)]
        case .named(.down): return [.scroll(.lineDown)]
        case .text, .control, .alt, .pasted, .longPaste, .named, .mouse:
            mode = .writing
            return []
        }
    }

    /// Handles the keys that mean the same in every mode.
    private mutating func everywhere(_ key: Key) -> [Action]? {
        switch key {
        case .named(.pageUp): return [.scroll(.pageUp)]
        case .named(.pageDown): return [.scroll(.pageDown)]
        case .named(.topOfAll): return [.scroll(.top)]
        case .named(.endOfAll): return [.scroll(.end)]
        case .named(.altUp): return [.rooms(.next(.up))]
        case .named(.altDown): return [.rooms(.next(.down))]
        case .alt("n"): return [.rooms(.nextUnread)]
        case .alt("r"): return [.rooms(.toggleColumn)]
        case .alt("s"): return [.rooms(.split)]
        case .alt("w"): return [.rooms(.turn)]
        case .control("k") where !isEditing || editor.after.isEmpty: return [.rooms(.choose)]
        case .control("l"): return [.redraw]
        case .control("z"): return [.suspend]
        case .control("c"): return cancelOrQuit()
        case .longPaste: return [.showNotice(Self.longPasteNotice)]
        case .control("f") where mode != .searching:
            side.set("")
            mode = .searching
            return []
        default: return nil
        }
    }

    private static let longPasteNotice =
        "the paste was left out: it is longer than \(KeyDecoder.pasteLimit / 1_024) kB, and a message may have 8 kB"

    /// Leaves what is being done. Where there is nothing to leave, the second of two Ctrl-C ends the program.
    private mutating func cancelOrQuit() -> [Action] {
        guard mode == .writing, draft.isEmpty else {
            if mode == .writing { _ = draft.submit() }
            return leave()
        }
        if asksToQuit { return [.quit] }
        asksToQuit = true
        return [.showNotice("Ctrl-C again ends the program")]
    }

    /// Returns whether a key that leaves something has nothing to leave here, so that it may cancel an upload.
    func leavesNothing(_ key: Key) -> Bool {
        mode == .writing && (key == .named(.escape) || key == .control("c") && draft.isEmpty)
    }

    /// Begins to choose with a message that was clicked, unless another text is being written.
    mutating func choose() -> Bool {
        switch mode {
        case .writing, .selecting, .helping:
            mode = .selecting
            return true
        case .replying, .editing, .reacting, .reminding, .confirming, .searching: return false
        }
    }

    /// Returns to writing.
    mutating func leave() -> [Action] {
        mode = .writing
        return [.search(""), .selectNone]
    }
}
