import ChatClient
import ChatWire
import TerminalUI

/// Messages and reminders for later.
extension FullScreen {
    /// Those that are due first; `nil` before they are known.
    var laterItems: [LaterItem]? { later.map { $0.due + $0.waiting } }

    func perform(_ line: LaterLine) {
        let room = rooms.shown
        switch line {
        case .list:
            laterPanel = LaterPanel()
            setNeedsDrawing()
        case .schedule(let time, let text):
            guard let moment = moment(time) else { return }
            let id = client.schedule(MessageContent(text, mentions: room.mentions(in: text)), to: room.name, at: moment)
            unstored[id] = .schedule(time, text)
            noteUnstored()
        case .remind(let time, let which):
            guard which == nil else { return showNotice("choose the message by Tab, then l") }
            guard let message = room.view?.messages.last else { return showNotice("the room has no message") }
            remind(of: message.id, in: room.name, time)
        case .cancel: showNotice("/later, then x cancels")
        }
    }

    func remind(of message: MessageID, in room: RoomName, _ time: LaterTime) {
        guard let moment = moment(time) else { return }
        unstored[client.remind(of: message, in: room, at: moment)] = .remind(time, of: nil)
        noteUnstored()
    }

    private func moment(_ time: LaterTime) -> Milliseconds? {
        do throws(InputError) {
            return try time.moment(at: .timeOfDay + clockLead)
        } catch {
            showNotice(error.description)
            return nil
        }
    }

    private func noteUnstored() {
        if !status.isOnline { showNotice("waits for a connection") }
        setNeedsDrawing()
    }

    func handle(_ outcome: LaterPanel.Outcome) {
        switch outcome {
        case .go(let item):
            laterPanel = nil
            if case .remind(let message) = item.light.plan.action {
                open(item.light.plan.room, at: message)
            } else {
                open(item.light.plan.room)
            }
        case .sendNow(let item) where item.isReminder: showNotice("a reminder is not sent: x ends it")
        case .sendNow(let item): change(item, at: .timeOfDay + clockLead, "being sent")
        case .postpone(let item): change(item, at: .timeOfDay + clockLead + 3_600_000, "being postponed")
        case .cancel(let item):
            changingItems[item.id] = "being cancelled"
            client.cancelLater(item.id)
            noteUnstored()
        case .close: laterPanel = nil
        case .stay: break
        }
        setNeedsDrawing()
    }

    private func change(_ item: LaterItem, at time: Milliseconds, _ words: String) {
        changingItems[item.id] = words
        noteUnstored()
        switch item.light.plan.action {
        case .send(let content): client.schedule(content, to: item.light.plan.room, at: time, id: item.id)
        case .remind(let message): client.remind(of: message, in: item.light.plan.room, at: time, id: item.id)
        }
    }

    /// The text of an item, with what is happening to it in front.
    func phrase(_ item: LaterItem) -> String {
        let change = changingItems[item.id].map { "(\($0)) " } ?? ""
        guard case .remind(let message) = item.light.plan.action else { return change + item.phrase(labels) }
        return change + item.phrase(labels, message: rooms[item.light.plan.room]?.view?[message]?.displayText)
    }

    // MARK: - News

    func laterChanged(_ change: LaterItemsChange) {
        let before = Set(later?.due.map(\.id) ?? [])
        let isFirst = later == nil
        later = change.view
        let news = change.view.due.filter { !before.contains($0.id) }
        if !isFirst, let first = news.first {
            let text = phrase(first)
            showNotice("\(text): /later")
            terminal.notify(text, by: options.notifying)
        }
        setNeedsDrawing()
    }

    func laterStored(_ id: UniqueID, _ plan: LaterItem.Plan?) {
        (unstored[id], changingItems[id]) = (nil, nil)
        if let plan { showNotice("\(plan.confirmation(at: .timeOfDay + clockLead)): /later") }
        setNeedsDrawing()
    }

    /// A refused line comes back, where nothing else is being written.
    func laterRefused(_ id: UniqueID, _ notice: SessionNotice) {
        changingItems[id] = nil
        if case .schedule(_, let text)? = unstored.removeValue(forKey: id), rooms.shown.controls.draft.isEmpty {
            rooms.shown.controls.draft.set(text)
        }
        showNotice(notice.text(labels))
    }
}
