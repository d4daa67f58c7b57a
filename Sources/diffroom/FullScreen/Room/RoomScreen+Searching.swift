import ChatClient
import ChatWire
import Replicas
import TerminalUI

extension RoomScreen {
    func search(_ query: String) {
        guard query != look.query else { return }
        look.query = query
        list.forgetCells()
        stopSearching()
        guard !query.isEmpty, let view else {
            found = nil
            return
        }
        found = (view.messages.reversed().filter(isFound).map(\.id), 0)
        showFound()
    }

    private func isFound(_ message: Message) -> Bool {
        !ranges(of: look.query, in: message.text).isEmpty
    }

    func searchNext(_ direction: Controls.ListDirection) {
        guard var found else { return }
        let next = found.place + (direction == .up ? 1 : -1)
        guard found.messages.indices.contains(next) else {
            return direction == .up ? searchOn() : showNotice("no later one")
        }
        found.place = next
        self.found = found
        showFound()
    }

    private func showFound() {
        guard let found else { return }
        list.select(found.messages.isEmpty ? nil : .message(found.messages[found.place]))
    }

    // MARK: - What is not loaded

    /// Loads what precedes the message found, until there is another one.
    func searchOn() {
        guard let view, let found, !look.query.isEmpty else { return }
        let place = found.messages.isEmpty ? nil : view[found.messages[found.place]]?.sort
        if let gap = view.gaps.last(where: { $0.before <= place ?? .max }) {
            client.fill(gap.id, of: name, from: .end, limit: 500)
        } else if view.hasOlder {
            client.older(name, limit: 500)
        } else {
            stopSearching()
            return showNotice(found.messages.isEmpty ? "nowhere in the room" : "no earlier one in the room")
        }
        searching = (view.messages.count, view.count)
    }

    func stopSearching() {
        searching = nil
    }

    /// Handles a page: shows the message found, or continues the search.
    func searchIn(_ change: RoomChange) {
        guard searching != nil, case .page = change.cause, var found else { return }
        let more = change.changes.inserted.compactMap { change.view[$0] }.filter(isFound).map(\.id)
        let current = found.messages.isEmpty ? nil : found.messages[found.place]
        let all = Set(found.messages + more).compactMap { change.view[$0] }.sorted { $0.sort > $1.sort }.map(\.id)
        found = (all, current.flatMap { all.firstIndex(of: $0) } ?? 0)
        self.found = found
        let next = current == nil ? 0 : found.place + 1
        guard all.indices.contains(next) else { return searchOn() }
        stopSearching()
        self.found?.place = next
        showFound()
    }
}
