import ChatClient
import ChatWire
import CommandLineFlags
import TerminalUI

extension FullScreen {
    func press(_ key: Key) {
        let key = options.keys[key]
        if case .mouse(let mouse) = key { return press(mouse) }
        guard !isChoosing else { return choose(key) }
        let room = rooms.shown
        if let upload = uploads.first, room.controls.leavesNothing(key) { return upload.cancel() }
        if key == .named(.escape), room.name.isThread, room.controls.leavesNothing(key), room.controls.draft.isEmpty {
            return leaveThread()
        }
        let written = room.controls.draft.text
        let actions = room.controls.press(key, subject: room.subject)
        if key == .named(.enter), !written.isEmpty, room.controls.draft.isEmpty { history.append(written) }
        if !actions.contains(.quit) { isQuitting = false }
        for action in actions { room.perform(action) }
        if hasPlace, room.isShown { room.sendTyping() }
        draftChanged(in: room)
    }

    /// Handles a key while another room, a message that mentions the user, or a pinned one is being chosen.
    private func choose(_ key: Key) {
        switch key {
        case .control("l"): return terminal.forget()
        case .control("z"): return terminal.suspend()
        default: break
        }
        switch mentionsPanel?.press(key, among: mentions?.mentions ?? []) {
        case .go(let mention)?:
            closeMentions()
            return open(mention.room, at: mention.message)
        case .older?: client.olderMentions()
        case .close?: closeMentions()
        case .stay?, nil: break
        }
        if pinsPanel != nil { return choosePin(key) }
        if let outcome = laterPanel?.press(key, among: laterItems ?? []) { return handle(outcome) }
        let choices = choices  // they depend on the switcher, which the key changes
        switch switcher?.press(key, among: choices) {
        case .open(let room)?:
            switcher = nil
            open(room)
        case .cancel?: switcher = nil
        case .stay?, nil: break
        }
    }

    private func choosePin(_ key: Key) {
        let room = rooms.shown
        switch pinsPanel?.press(key, among: room.pinned ?? []) {
        case .go(let id)?:
            pinsPanel = nil
            room.perform(.go(.id(id)))
        case .move(let id, let place)?: room.change(.pin(id, place))
        case .unpin(let id)?: room.change(.unpin(id))
        case .close?: pinsPanel = nil
        case .stay?, nil: break
        }
        setNeedsDrawing()
    }

    // MARK: - The mouse

    /// The lines that a turn of the wheel moves.
    private static let wheel = 3

    private func press(_ mouse: Key.Mouse) {
        switch mouse.action {
        case .press: ClickTarget(mouse.target).map { click($0, in: room(at: mouse.column)) }
        case .wheelUp where isChoosing: choose(.named(.up))
        case .wheelDown where isChoosing: choose(.named(.down))
        case .wheelUp: for _ in 0..<Self.wheel { room(at: mouse.column).perform(.scroll(.lineUp)) }
        case .wheelDown: for _ in 0..<Self.wheel { room(at: mouse.column).perform(.scroll(.lineDown)) }
        }
    }

    /// Returns the room on the screen at a column.
    private func room(at column: Int) -> RoomScreen {
        column < columns.rooms + columns.messages ? rooms.shown : rooms.beside ?? rooms.shown
    }

    private func click(_ target: ClickTarget, in clicked: RoomScreen) {
        switch target {
        case .room(let room):
            switcher = nil
            open(room)
        case .mention(let mention):
            closeMentions()
            open(mention.room, at: mention.message)
        case .later(let id): if let item = later?[id] { handle(.go(item)) }
        case .message(let id) where pinsPanel != nil:
            pinsPanel = nil
            clicked.perform(.go(.id(id)))
        case .message(let id):
            if clicked !== rooms.shown { turn() }
            clicked.choose(id)
        case .reaction(let id, let emoji): clicked.send(.react(id, emoji))
        case .file(let place): clicked.copyLinks(of: place.message, only: place.file)
        case .thread(let root):
            if clicked !== rooms.shown { turn() }
            openThread(of: root)
        case .link(let address): copy(address, called: "the address")
        }
    }

    /// Puts a text into the clipboard.
    func copy(_ text: String, called phrase: String) {
        terminal.copy(text)
        showNotice("\(phrase) is in the clipboard, if the terminal allows that")
    }

    /// The list is followed only while it is shown.
    private func closeMentions() {
        mentionsPanel = nil
        client.closeMentions()
    }

    // MARK: - Settings

    /// Reads the settings again, and applies those that can change while the program runs.
    func reload() {
        do throws(FlagError) {
            let values = try program.parse(ProcessArguments.all, environment: environment)
            options = try Options(values, environment: environment, isInteractive: true)
            ignored.rules = options.ignored.rules
            ignoredChanged()
            showNotice("the settings for keys, notifications and what is ignored are read again")
        } catch {
            showNotice("the settings stay as they were: \(error)")
        }
    }

    /// Hides the messages of a user, or those with a text. Without a rule it shows those that there are.
    func ignore(_ rule: String) {
        guard !rule.isEmpty else {
            let rules = ignored.rules.joined(separator: ", ")
            return showNotice(rules.isEmpty ? "usage: /ignore NAME, or /ignore *TEXT*" : "ignored: \(rules)")
        }
        ignored.add(rule)
        ignoredChanged()
        showNotice("\(rule) is ignored until the end of the program")
    }

    func unignore(_ rule: String) {
        guard ignored.remove(rule) else {
            return showNotice(
                "\(rule.isEmpty ? "usage: /unignore NAME" : "\(rule) is not ignored"); /ignore shows what is")
        }
        ignoredChanged()
    }

    func ignoredChanged() {
        for room in rooms.all {
            room.look.ignored = ignored
            room.list.forgetCells()
        }
        setNeedsDrawing()
    }

    /// Notes that a command waits for its answer.
    ///
    /// - Parameter room: the room whose settings it changes, which the column of rooms marks; `nil` for none.
    func noteSent(_ id: CommandID, about room: RoomName? = nil) {
        unanswered[id] = clock.now
        changingRooms[id] = room
        status.unanswered = unanswered.count
        setNeedsDrawing()
    }

    /// Ends when all commands are acknowledged, or at once on the second call.
    func quit() {
        flush()
        if unanswered.isEmpty, uploads.isEmpty { end(.done) }
        if isQuitting { end(.failed, unansweredText) }
        isQuitting = true
        showNotice(
            uploads.isEmpty
                ? "waiting for \(unanswered.count) acknowledgements; again to end without them"
                : "waiting for the upload; again to end without it")
    }

    /// The number of the commands without an acknowledgement, and their texts, for a program that ends without them.
    private var unansweredText: String {
        let texts = rooms.all.flatMap { room in
            (room.pending.texts + room.pendingChanges.texts).map { "\(room.label.heading): \($0)".inOneLine }
        }
        let names = uploads.flatMap(\.line.names).map(\.inOneLine).joined(separator: ", ")
        if unanswered.isEmpty { return "not uploaded: \(names)" }
        let count = unanswered.count == 1 ? "1 command was" : "\(unanswered.count.grouped) commands were"
        return (["\(count) not acknowledged" + (texts.isEmpty ? "" : ", with these texts:")] + texts)
            .joined(separator: "\n")
    }
}
