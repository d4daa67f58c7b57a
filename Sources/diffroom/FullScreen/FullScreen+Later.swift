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
        let moment = time.time(at: .timeOfDay + clockLead)
        if moment == nil { showNotice("there is no such time") }
        return moment
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
        case .sendNow(let item): change(item, at: .timeOfDay + clockLead)
        case .postpone(let item): change(item, at: .timeOfDay + clockLead + 3_600_000)
        case .cancel(let item): client.cancelLater(item.id)
        case .close: laterPanel = nil
        case .stay: break
        }
        setNeedsDrawing()
    }

    private func change(_ item: LaterItem, at time: Milliseconds) {
        switch item.light.plan.action {
        case .send(let content): client.schedule(content, to: item.light.plan.room, at: time, id: item.id)
        case .remind(let message): client.remind(of: message, in: item.light.plan.room, at: time, id: item.id)
        }
    }

    func phrase(_ item: LaterItem) -> String {
        guard case .remind(let message) = item.light.plan.action else { return item.phrase(labels) }
        return item.phrase(labels, message: rooms[item.light.plan.room]?.view?[message]?.displayText)
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
        unstored[id] = nil
        guard let plan else { return }
        let what = if case .send = plan.action { "will be sent" } else { "you will be reminded" }
        showNotice("\(what) at \(laterTime(plan.at)): /later")
    }

    /// A refused line comes back, where nothing else is being written.
    func laterRefused(_ id: UniqueID, _ notice: SessionNotice) {
        if case .schedule(_, let text)? = unstored.removeValue(forKey: id), rooms.shown.controls.draft.isEmpty {
            rooms.shown.controls.draft.set(text)
        }
        showNotice(notice.text(labels))
    }
}
