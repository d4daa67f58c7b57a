import ChatClient
import ChatWire
import Diffable
import Replicas
import TerminalUI

/// The places in a room of which only parts are loaded.
extension RoomScreen {
    /// Fills the gap in the window, and reports the row at its top to the client.
    func loadWhatIsShown() {
        guard view != nil, controls.mode != .helping else { return }
        let shown = list.visibleItems
        let top = list.isFollowing ? nil : shown.lazy.compactMap(\.message).first
        if top != lookedAt { client.look(at: top, in: name) }
        lookedAt = top
        fillGap(in: shown)
    }

    /// Fills a gap from the side from which the reader comes to it, so that no row moves that is being read.
    private func fillGap(in shown: [RoomItem]) {
        let isGap = { (item: RoomItem) in item.message == nil }
        let place = heading == .up ? shown.lastIndex(where: isGap) : shown.firstIndex(where: isGap)
        guard let place, case .gap(let id) = shown[place], !refusedGaps.contains(id) else { return }
        let isRead = (above: shown[..<place].contains { !isGap($0) }, below: shown[place...].contains { !isGap($0) })
        let side: RoomPage.Side
        switch isRead {
        case (true, false): side = .beginning
        case (false, _): side = .end
        case (true, true): side = heading == .up || list.isFollowing ? .end : .beginning
        }
        list.heldBelow = side == .end ? shown[place] : nil
        client.fill(id, of: name, from: side, limit: 200)
    }

    /// The messages below those that have been in the window.
    var unread: StatusLine.Unread {
        let snapshot = list.snapshot
        let first = snapshot.numberOfItems - list.unseen
        let gaps = view?.gaps.filter { snapshot.indexOfItem(.gap($0.id)).map { $0 >= first } ?? false } ?? []
        guard list.unseen > 0, !gaps.isEmpty else { return StatusLine.Unread(count: list.unseen) }
        let rest = list.unseen - gaps.count
        return StatusLine.Unread(count: rest + (view?.missing ?? 0), isLeast: view?.missing == nil)
    }

    func pageRefused(_ page: RoomPage) {
        stopSearching()
        switch page {
        case .older: break
        case .gap(let id, _): refusedGaps.insert(id)
        case .around: destination = nil
        }
    }

    /// Keeps a row selected.
    func keep(_ item: RoomItem?) {
        list.select(item)
        setNeedsDrawing()
    }

    // MARK: - Going to a message

    /// Goes to a message, which is loaded first if it is not here.
    func go(to anchor: PagePlace.Anchor) {
        if case .id(let id) = anchor, view?[id] != nil { return show(id) }
        destination = anchor
        client.go(to: anchor, in: name, limit: 200)
        showNotice("going there…")
    }

    /// Shows the message that the reader wanted to go to, if this change has brought it.
    func arrive(by change: RoomChange) {
        guard let destination, change.cause == .page(.around(destination)) else { return }
        self.destination = nil
        if isShown { screen.hideNotice() }
        guard let message = change.view.message(at: destination) else {
            return showNotice("there is no such message here")
        }
        show(message.id)
    }

    /// Marks a message and brings it into the window. Letters stay letters: only Tab makes them commands.
    private func show(_ id: MessageID) {
        arrival = controls.mode == .selecting ? nil : id
        heading = .down
        list.show(.message(id))
        fetchOlderIfNear()
        setNeedsDrawing()
    }
}
