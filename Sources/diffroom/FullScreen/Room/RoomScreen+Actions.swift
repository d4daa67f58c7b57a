import ChatClient
import ChatWire
import Dispatch
import TerminalUI

extension RoomScreen {
    // MARK: - The user's state, for others

    /// Reports that the user is writing, and repeats it every few seconds. The server ends the sign by itself without a
    /// repeat, and when a message arrives.
    func sendTyping() {
        let isWriting = controls.mode.isWritingMessage && !controls.draft.isEmpty
        guard isWriting else { return sendTypingEnd() }
        if let typingSent, screen.clock.now - typingSent < .seconds(3) { return }
        typingSent = screen.clock.now
        client.setTyping(.on, in: name)
    }

    func sendTypingEnd() {
        if typingSent != nil { client.setTyping(.off, in: name) }
        typingSent = nil
    }

    /// Notes what the screen shows now. Reports it, at most once a second.
    func markRead() {
        guard isFollowed, let view else { return }
        visit.show(end: view.messages.last?.sort ?? 0, at: screen.clock.now)
        if !isMarkingRead { reportLater() }
    }

    private func reportLater() {
        isMarkingRead = true
        screen.queue.asyncAfter(deadline: .now() + .seconds(1)) { [self] in
            isMarkingRead = false
            // The user may have left the room since, and come back a moment ago.
            if visit.shownEnd != nil, !sendReadMarkOfStay() { reportLater() }
        }
    }

    /// Reports the messages on the screen in the last second as read, unless the user only passes through the room.
    ///
    /// - Returns: whether the room counts as read.
    @discardableResult
    func sendReadMarkOfStay() -> Bool {
        guard visit.readEnd(at: screen.clock.now) != nil else { return false }
        sendReadMark()
        return true
    }

    /// Reports how far the screen has shown the room, however short the stay.
    func sendReadMark() {
        guard let end = visit.shownEnd, !isLeftAlone else { return }
        endMark()
        guard end > sentRead else { return }
        sentRead = end
        client.markRead(name, upTo: end)
    }

    /// Ends a mark as unread that was there when the user came. One that another device sets now stays.
    private func endMark() {
        guard hasCome, let room = screen.membership(of: name) else { return }
        hasCome = false
        if room.light.isMarked { client.markAllRead(name) }
    }

    /// Reads nothing before the user comes back: they have marked the room as unread.
    func leaveAlone() {
        (isLeftAlone, hasCome) = (true, false)
    }

    /// Reads again: the mark as unread has ended.
    func resumeReading() {
        isLeftAlone = false
        sendReadMark()
    }

    /// Marks one of the last messages as unread, and all behind it.
    func markUnread(last count: Int) {
        guard let first = view?.messages.suffix(count).first else { return showNotice("there is no message") }
        markUnread(from: first.id)
    }

    /// Marks a message and all behind it as unread, and moves the line above the new messages to it.
    private func markUnread(from id: MessageID) {
        guard let view, let sort = view[id]?.sort, let end = view.messages.last?.sort else { return }
        leaveAlone()
        news = News(mark: sort - 1, end: end, user: user)
        list.forgetCells()
        screen.noteSent(client.set(SettingsChange(unreadFrom: sort), of: name), about: name)
    }

    func perform(_ action: Controls.Action) {
        switch action {
        case .markUnread(let id): markUnread(from: id)
        case .togglePin(let id): togglePin(id)
        case .ignore(let rule): screen.ignore(rule)
        case .unignore(let rule): screen.unignore(rule)
        case .reload: screen.reload()
        case .copy(let id): if let text = view?[id]?.displayText { screen.copy(text, called: "the message") }
        case .upload(let line): screen.upload(line, to: self)
        case .links(let id): copyLinks(of: id)
        case .command(.delete(let id)): delete(id)
        case .command(let command): send(command)
        case .undo: undo()
        case .scroll(let scroll): perform(scroll)
        case .select(let direction): select(direction)
        case .selectNone: list.select(nil)
        case .search(let query): search(query)
        case .searchOn: if found?.messages.isEmpty ?? false { searchOn() }
        case .searchNext(let direction): searchNext(direction)
        case .go(let anchor): go(to: anchor)
        case .showNotice(let text): showNotice(text)
        case .rooms(let action): screen.perform(action)
        case .completePath(let path): complete(path)
        case .completeName(let begun, let circle): completeName(begun, among: names(in: circle))
        case .redraw: screen.terminal.forget()
        case .suspend: screen.terminal.suspend()
        case .quit: screen.quit()
        }
    }

    func send(_ command: Controls.Action.Command) {
        guard screen.hasPlace else { return notYet(command) }
        let id =
            switch command {
            case .send(let text, let replyTo): sendMessage(text, replyTo: replyTo)
            case .edit(let id, let text): edit(id, text)
            case .delete(let id): client.delete(id, in: name)
            case .stop(let id): client.stop(id, in: name)
            case .moderate(let moderation): client.moderate(name, moderation)
            case .react(let id, let emoji):
                client.react(to: id, in: name, with: emoji, hasReacted(to: id, with: emoji) ? .off : .on)
            }
        noteSent(id, command)
    }

    private func sendMessage(_ text: String, replyTo: MessageID?) -> CommandID {
        let id = client.send(text, to: name, replyTo: replyTo, mentions: mentions(in: text))
        pending.add(id, text)
        return id
    }

    private func edit(_ id: MessageID, _ text: String) -> CommandID {
        refusedEdits[id] = nil
        return client.edit(id, in: name, text: text, mentions: mentions(in: text, of: id))
    }

    /// The people whom this program knows to be in the room, or to have written in it.
    var people: Set<UserName> {
        Set(view?.messages.map(\.author) ?? []).union(members?.members.map(\.id) ?? []).subtracting([.unknown])
    }

    /// - Parameter message: the message that gets this text; `nil` for a new one.
    func mentions(in text: String, of message: MessageID? = nil) -> Mentioned {
        let isCalled = message.flatMap { view?.message(at: .id($0)) }?.mentions.everyone ?? false
        return Mentions.found(in: Markdown.spoken(text), among: people, mayCallEveryone: mayCallEveryone || isCalled)
    }

    private var mayCallEveryone: Bool { standing.role.mayCallEveryone(in: name.kind) }

    private func names(in circle: Controls.Action.Circle) -> [String] {
        switch circle {
        case .room: people.map(\.description)
        case .callable: people.map(\.description) + (mayCallEveryone ? [Mentioned.wordForEveryone] : [])
        case .everybody: screen.everybody.map(\.description)
        case .rooms:
            Set((screen.ownRooms?.all.map(\.id) ?? []) + screen.rooms.all.map(\.name)).filter { $0.kind == .open }
                .map(\.description)
        case .invitations: screen.ownRooms?.invitations.map(\.label.description) ?? []
        }
    }

    /// Completes a name as far as all matches agree. If no user name begins so, it searches the parts of display names.
    private func completeName(_ begun: String, among known: [String]) {
        let names = known.filter { $0.lowercased().hasPrefix(begun.lowercased()) }.sorted()
        if names.isEmpty, case let called = known.filter({ isCalled($0, begun) }).sorted(), let first = called.first {
            if called.count > 1 { return showNotice(called.prefix(9).joined(separator: "  ")) }
            controls.editor.replace(last: begun.count, with: first[...])
            return controls.editor.endCompletion()
        }
        guard let first = names.first else { return showNotice("no known name begins with \(begun)") }
        let common = names.dropFirst().reduce(first[...]) { $0.prefix(zip($0, $1).prefix { $0 == $1 }.count) }
        if common.count >= begun.count { controls.editor.replace(last: begun.count, with: common) }
        if names.count == 1 {
            controls.editor.endCompletion()
        } else {
            showNotice(names.prefix(9).joined(separator: "  "))
        }
    }

    /// Returns whether a word of what the user is called begins so.
    private func isCalled(_ user: String, _ begun: String) -> Bool {
        guard let name = UserName(known: user).flatMap({ screen.people.displayName(of: $0) }) else { return false }
        return name.description.lowercased().split(separator: " ").contains { $0.hasPrefix(begun.lowercased()) }
    }

    /// Keeps a message for the room that will be opened.
    private func notYet(_ command: Controls.Action.Command) {
        if case .send(let text, _) = command { controls.draft.set(text) }
        showNotice("no room is open yet: Ctrl-K opens one")
    }

    /// Handles the acknowledgement of a message.
    func sent(_ answer: ChatClient.Answer) {
        guard case .done(let effect) = answer.outcome else { return }
        pending.acknowledge(answer.command.id, effect, in: view)
    }

    /// Handles the refusal of a command. Its text goes back to where it was written.
    func refused(_ command: Command) {
        switch command.action {
        case .send(let content):
            pending.remove(command.id)
            if controls.draft.isEmpty, content.files.isEmpty { controls.draft.set(content.text) }
        case .edit(let id, let edit):
            refusedEdits[id] = edit.text
            edit.text.map { controls.draft.remember($0) }
        case .grow, .delete, .react, .summarize, .moderate, .join, .leave, .create, .settings: break
        }
    }

    private func hasReacted(to id: MessageID, with emoji: String) -> Bool {
        view?[id]?.reactions.contains { $0.emoji == emoji && $0.users.contains(user) } ?? false
    }

    // MARK: - Moving

    private func perform(_ scroll: Controls.Action.Scroll) {
        let page = max(1, list.size.rows - 2)
        if controls.mode == .helping { return turnManual(scroll, page) }
        heading = scroll.direction
        switch scroll {
        case .lineUp: list.scroll(by: -1)
        case .lineDown: list.scroll(by: 1)
        case .pageUp: list.scroll(by: -page)
        case .pageDown: list.scroll(by: page)
        case .top: list.scrollToTop()
        case .end:
            if arrival != nil { list.select(nil) }
            arrival = nil
            list.scrollToEnd()
        }
        fetchOlderIfNear()
    }

    /// Scrolls the manual. Drawing it keeps the place within the manual.
    private func turnManual(_ scroll: Controls.Action.Scroll, _ page: Int) {
        switch scroll {
        case .lineUp: manualTop -= 1
        case .lineDown: manualTop += 1
        case .pageUp: manualTop -= page
        case .pageDown: manualTop += page
        case .top: manualTop = 0
        case .end: manualTop = 1_000
        }
    }

    /// Requests older messages before the reader reaches the end of those held.
    func fetchOlderIfNear() {
        guard let view, view.hasOlder, !list.isFollowing || list.blocksAbove == 0 else { return }
        if list.blocksAbove < 2 * list.size.rows { client.older(name, limit: 200) }
    }

    /// Chooses a message that was clicked.
    func choose(_ id: MessageID) {
        guard controls.choose() else { return }
        arrival = nil
        list.select(.message(id))
        setNeedsDrawing()
    }

    private func select(_ direction: Controls.ListDirection) {
        let selected = list.selection
        heading = direction
        if let arrival, selected == .message(arrival) {
            self.arrival = nil
            return keep(selected)
        }
        let isChosen = list.select(next: direction == .up ? .up : .down)
        // A gap cannot be chosen. It is in the window now, and the next key finds the messages in its place.
        if case .gap? = list.selection { return keep(selected) }
        switch (isChosen, direction) {
        case (true, _): fetchOlderIfNear()
        case (false, .up):
            if list.selection == nil { for action in controls.leave() { perform(action) } }
        case (false, .down):
            for action in controls.leave() + [.scroll(.end)] { perform(action) }
        }
    }
}
