import ChatWire

extension ClientSession {
    /// Searches now, or as soon as there is a connection.
    mutating func search(_ request: SearchRequest, id: UniqueID) {
        searches.append((request, id))
        requestSearches()
    }

    mutating func requestSearches() {
        guard welcome != nil else { return }
        for (search, id) in searches { _ = request(.search(search), .search(search, id: id)) }
        searches = []
    }

    /// Queues again the searches whose answers were lost with the connection.
    mutating func keepSearches() {
        for case (_, .search(let request, let id)) in awaited.sorted(by: { $0.key < $1.key }) {
            searches.append((request, id))
        }
    }
}
