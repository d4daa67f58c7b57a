import ChatClient
import ChatWire
import Replicas
import TerminalUI

/// A search in messages that are not loaded yet.
struct DeepSearch {
    /// The most messages that it reads before it asks whether to continue; `nil` for all.
    let limit: Int?
    /// The messages that were loaded when it began.
    let start: Int

    /// The limit of a search that begins while the text is typed: a typing error must not load a whole room.
    static let typed = 5_000

    func mayGoOn(_ loaded: Int) -> Bool { limit.map { loaded - start < $0 } ?? true }
}

extension RoomScreen {
    /// Searches for a text. If no loaded message has it, earlier ones are loaded.
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
        if found?.messages.isEmpty ?? false { searchOn(limit: DeepSearch.typed) }
    }

    /// The progress of the search, as long as there are messages that it has not read.
    var searchProgress: StatusLine.SearchProgress? {
        guard found != nil, let view, view.hasOlder || !view.gaps.isEmpty else { return nil }
        return StatusLine.SearchProgress(read: view.messages.count, count: view.count, isLoading: deepSearch != nil)
    }

    private func isFound(_ message: Message) -> Bool {
        [message.text, Markdown.withoutMarks(message.text)].contains { !ranges(of: look.query, in: $0).isEmpty }
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
    ///
    /// - Parameter limit: the most messages to load; `nil` for all.
    func searchOn(limit: Int? = nil) {
        guard let view else { return }
        deepSearch = DeepSearch(limit: limit, start: view.messages.count)
        loadForSearch()
    }

    private func loadForSearch() {
        guard let view, let found, !look.query.isEmpty, deepSearch?.mayGoOn(view.messages.count) ?? false else {
            return stopSearching()
        }
        let place = found.messages.isEmpty ? nil : view[found.messages[found.place]]?.sort
        if let gap = view.gaps.last(where: { $0.before <= place ?? .max }) {
            client.fill(gap.id, of: name, from: .end, limit: 500)
        } else if view.hasOlder {
            client.older(name, limit: 500)
        } else {
            stopSearching()
            showNotice(found.messages.isEmpty ? "nowhere in the room" : "no earlier one in the room")
        }
    }

    func stopSearching() {
        deepSearch = nil
    }

    /// Handles a page: shows the message found, or continues the search.
    func searchIn(_ change: RoomChange) {
        guard deepSearch != nil, case .page = change.cause, var found else { return }
        let more = change.changes.inserted.compactMap { change.view[$0] }.filter(isFound).map(\.id)
        let current = found.messages.isEmpty ? nil : found.messages[found.place]
        let all = Set(found.messages + more).compactMap { change.view[$0] }.sorted { $0.sort > $1.sort }.map(\.id)
        found = (all, current.flatMap { all.firstIndex(of: $0) } ?? 0)
        self.found = found
        let next = current == nil ? 0 : found.place + 1
        guard all.indices.contains(next) else { return loadForSearch() }
        stopSearching()
        self.found?.place = next
        showFound()
    }
}
