import ChatClient
import ChatWire
import Dispatch
import TerminalUI

extension FullScreen {
    func press(_ key: Key) {
        let actions = controls.press(key, subject: subject)
        if !actions.contains(.quit) { isQuitting = false }
        for action in actions { perform(action) }
        tellTyping()
    }

    // MARK: - The user's state, for others

    /// Reports that the user is writing, and repeats it every few seconds. The server ends the sign by itself without a
    /// repeat, and when a message arrives.
    private func tellTyping() {
        let isWriting = controls.mode.isWritingMessage && !controls.draft.isEmpty
        guard isWriting else {
            if typingTold != nil { client.setTyping(.off, in: options.room) }
            typingTold = nil
            return
        }
        if let typingTold, clock.now - typingTold < .seconds(3) { return }
        typingTold = clock.now
        client.setTyping(.on, in: options.room)
    }

    /// Reports, at most once a second, how far the screen has shown the room.
    func markRead() {
        guard list.isFollowing, room != nil, !isMarkingRead else { return }
        isMarkingRead = true
        queue.asyncAfter(deadline: .now() + .seconds(1)) { [self] in
            isMarkingRead = false
            if list.isFollowing, let end = room?.messages.last?.sort { client.markRead(options.room, upTo: end) }
        }
    }

    func perform(_ action: Controls.Action) {
        switch action {
        case .command(.delete(let id)): delete(id)
        case .command(let command): give(command)
        case .undo: undo()
        case .scroll(let scroll): perform(scroll)
        case .select(let direction): select(direction)
        case .selectNone: list.select(nil)
        case .search(let query): search(query)
        case .searchOn: if found?.messages.isEmpty ?? false { searchOn() }
        case .searchNext(let direction): searchNext(direction)
        case .go(let anchor): go(to: anchor)
        case .say(let text): say(text)
        case .redraw: terminal.forget()
        case .suspend: terminal.suspend()
        case .quit: quit()
        }
    }

    /// Ends when all commands are acknowledged, or at once on the second call.
    private func quit() {
        deleteNow()
        if isQuitting || unanswered.isEmpty { end(unanswered.isEmpty ? .done : .failed) }
        isQuitting = true
        say("waiting for \(unanswered.count) acknowledgements; again to end without them")
    }

    func give(_ command: Controls.Action.Command) {
        let room = options.room
        let id =
            switch command {
            case .send(let text, let replyTo): client.send(text, to: room, replyTo: replyTo)
            case .edit(let id, let text): client.edit(id, in: room, text: text)
            case .delete(let id): client.delete(id, in: room)
            case .moderate(let moderation): client.moderate(room, moderation)
            case .react(let id, let emoji):
                client.react(to: id, in: room, with: emoji, hasReacted(to: id, with: emoji) ? .off : .on)
            }
        unanswered[id] = clock.now
        status.unanswered = unanswered.count
    }

    private func hasReacted(to id: MessageID, with emoji: String) -> Bool {
        room?[id]?.reactions.contains { $0.emoji == emoji && $0.users.contains(user) } ?? false
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

    /// Asks for older messages before the reader reaches the end of those held.
    func fetchOlderIfNear() {
        guard let room, room.hasOlder, !list.isFollowing || list.blocksAbove == 0 else { return }
        if list.blocksAbove < 2 * list.size.rows { client.older(options.room, limit: 200) }
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
