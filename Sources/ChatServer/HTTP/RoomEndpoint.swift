import ChatWire
import WebSocketTransport

/// A resource of a room by plain HTTP: `/api/rooms/{room}/messages` or `/api/rooms/{room}/audit`.
struct RoomEndpoint: Equatable {
    enum What: String {
        case messages, audit
    }

    let room: RoomName
    let what: What

    private static let prefix = "/api/rooms/"

    /// `nil` when the path does not belong to the API.
    ///
    /// - Throws: `not_found` for a path of the API that names nothing.
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

    /// The methods that the resource accepts, by their HTTP names.
    var methods: String {
        switch what {
        case .messages: "GET, HEAD, POST"
        case .audit: "GET, HEAD"
        }
    }
}

/// A page of a room's past: `?before=&limit=`.
struct PastQuery: Equatable {
    /// The sort key, or revision, that the page precedes.
    let before: UInt64
    /// The length of the page, in rows.
    let limit: Int

    /// Above every integer on the wire.
    private static let end: UInt64 = 1 << 53

    init(_ query: String?, limits: WireLimits) throws(WireError) {
        let query = try HTTPQuery(query, parameters: ["before", "limit"])
        before = try query.number("before") ?? Self.end
        limit = try query.limit(in: 1...UInt64(limits.rows), default: 50)
    }
}

extension ListPage<Message> {
    /// Returns the page's entity tag. Two pages of one list have the same tag only if they have the same rows.
    ///
    /// No row is ever inserted between two sort keys, so the same ends and the same count mean the same rows. A touched
    /// row has a revision above all earlier ones.
    func entityTag(_ epoch: Epoch) -> String {
        let last = rows.map(\.rev).max() ?? 0
        let ends = "\(rows.first?.sort ?? 0)-\(rows.last?.sort ?? 0)"
        return "W/\"\(epoch)-\(ends)-\(rows.count)-\(last)-\(more ? "more" : "all")\""
    }
}
