import ChatWire
import TerminalUI

/// What the keys do: what is being written, and what is done with it.
///
/// A value: keys go in, what is to be done comes out.
struct Controls: Equatable {
    enum Mode: Equatable {
        /// A message is being written. Then any other.
        case writing
        /// An answer to a message is being written. Then `writing`, `selecting`.
        case replying(MessageID)
        /// A message's text is being changed. Then `writing`.
        case editing(MessageID)
        /// A reaction to a message is being chosen. Then `selecting`.
        case reacting(MessageID)
        /// A message is being chosen. Then `writing`, `replying`, `editing`, `reacting`, `deleting`.
        case selecting
        /// Whether to delete a message is asked; the answer is the one that Enter would give. Then `selecting`.
        case deleting(MessageID, Answer)
        /// Something is being searched for. Then `writing`, `selecting`.
        case searching
        /// The manual is on the screen. Then `writing`.
        case helping

        /// Whether a key goes into a message that is not said yet.
        var isWritingMessage: Bool {
            switch self {
            case .writing, .replying: true
            case .editing, .reacting, .selecting, .deleting, .searching, .helping: false
            }
        }
    }

    /// An answer to whether something shall be gone.
    enum Answer: Equatable {
        case keep
        case delete

        var other: Answer { self == .keep ? .delete : .keep }
    }

    /// What is wanted of the program.
    enum Action: Equatable {
        case command(Command)
        /// Takes back the deletion that was asked for last, while it can be.
        case undo
        case scroll(Scroll)
        case select(ListDirection)
        /// Chooses no message.
        case selectNone
        /// Looks for something: the nearest message that has it is chosen. Empty: no more.
        case search(String)
        case searchNext(ListDirection)
        case say(String)
        case redraw
        case suspend
        case quit

        enum Command: Equatable {
            case send(String, replyTo: MessageID?)
            case edit(MessageID, String)
            case delete(MessageID)
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
        }
    }

    enum ListDirection: Equatable {
        case up
        case down
    }

    /// The chosen message, as far as the keys must know it.
    struct Subject: Equatable {
        let id: MessageID
        let text: String
        let isOwn: Bool
        /// It is ours, or we moderate the room.
        let mayDelete: Bool
    }

    /// What can be chosen with a digit.
    static let quickReactions = ["👍", "❤️", "😂", "🎉", "😮", "😢"]

    var mode = Mode.writing
    /// The message being written; it stays while something else is.
    var draft = LineEditor()
    /// What is being written otherwise: another text for a message, a reaction, a search.
    var side = LineEditor()

    /// What is being written now.
    var editor: LineEditor {
        get { usesDraft ? draft : side }
        set { if usesDraft { draft = newValue } else { side = newValue } }
    }

    private var usesDraft: Bool {
        switch mode {
        case .writing, .replying, .selecting, .deleting, .helping: true
        case .editing, .reacting, .searching: false
        }
    }

    /// Takes a key.
    ///
    /// - Parameter subject: the message that is chosen.
    mutating func press(_ key: Key, subject: Subject?) -> [Action] {
        if let actions = everywhere(key) { return actions }
        switch mode {
        case .writing, .replying, .editing, .reacting, .searching: return write(key, subject)
        case .selecting: return choose(key, subject)
        case .deleting(let id, let answer): return answerDeletion(key, id, answer)
        case .helping: return read(key)
        }
    }

    /// A key while the manual is on the screen.
    private mutating func read(_ key: Key) -> [Action] {
        switch key {
        case .named(.up): return [.scroll(.lineUp)]
        case .named(.down): return [.scroll(.lineDown)]
        case .text, .control, .alt, .pasted, .named:
            mode = .writing
            return []
        }
    }

    /// Keys that mean the same wherever one is.
    private mutating func everywhere(_ key: Key) -> [Action]? {
        switch key {
        case .named(.pageUp): return [.scroll(.pageUp)]
        case .named(.pageDown): return [.scroll(.pageDown)]
        case .named(.topOfAll): return [.scroll(.top)]
        case .named(.endOfAll): return [.scroll(.end)]
        case .control("l"): return [.redraw]
        case .control("z"): return [.suspend]
        case .control("c"): return cancelOrQuit()
        case .control("f") where mode != .searching:
            side.set("")
            mode = .searching
            return []
        default: return nil
        }
    }

    private mutating func cancelOrQuit() -> [Action] {
        if mode == .writing, draft.isEmpty { return [.quit] }
        if mode == .writing { _ = draft.take() }
        return leave()
    }

    /// Back to writing.
    mutating func leave() -> [Action] {
        mode = .writing
        return [.search(""), .selectNone]
    }
}
