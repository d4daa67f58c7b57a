import ChatWire
import WebSocketTransport

/// `/api/rooms/{room}/messages` and `/api/rooms/{room}/audit`: what who has no WebSocket may ask of a room.
struct RoomEndpoint: Equatable {
    enum What: String {
        case messages, audit
    }

    let room: RoomName
    let what: What

    private static let prefix = "/api/rooms/"

    /// `nil` when the path is none of the API's.
    ///
    /// - Throws: what was wrong with it and what would be right.
    init?(_ request: HTTPRequest) throws(WireError) {
        guard request.path.hasPrefix(Self.prefix) else { return nil }
        let parts = request.path.dropFirst(Self.prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let what = What(rawValue: String(parts[1])), let room = RoomName(String(parts[0]))
        else {
            throw WireError(
                .notFound,
                "there is nothing at \(request.path): there is /api/rooms/NAME/messages, and audit, with 1 to 64 "
                    + "letters, digits, '.', '_' and '-' as NAME")
        }
        self.room = room
        self.what = what
    }

    /// The methods that it takes, as HTTP names them.
    var methods: String {
        switch what {
        case .messages: "GET, HEAD, POST"
        case .audit: "GET, HEAD"
        }
    }
}

/// Which rows of a room's past: `?before=&limit=`.
struct PastQuery: Equatable {
    /// The sort key, or revision, that all are before.
    let before: UInt64
    /// In rows.
    let limit: Int

    /// What is before nothing: integers on the wire stay below it.
    private static let end: UInt64 = 1 << 53

    init(_ query: String?, limits: WireLimits) throws(WireError) {
        let query = try HTTPQuery(query, parameters: ["before", "limit"])
        before = try query.number("before") ?? Self.end
        limit = try query.limit(in: 1...UInt64(limits.rows), default: 50)
    }
}

extension ListPage<Message> {
    /// Two pages of one list have the same tag only if they have the same rows.
    ///
    /// Between two sort keys nothing is ever inserted, so the same number of rows there is the same rows, and a row that
    /// was touched has a revision above all before.
    func entityTag(_ epoch: Epoch) -> String {
        let last = rows.map(\.rev).max() ?? 0
        let ends = "\(rows.first?.sort ?? 0)-\(rows.last?.sort ?? 0)"
        return "W/\"\(epoch)-\(ends)-\(rows.count)-\(last)-\(more ? "more" : "all")\""
    }
}
