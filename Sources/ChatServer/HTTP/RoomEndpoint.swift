import ChatWire
import WebSocketTransport

/// A resource of a room by plain HTTP: `/api/rooms/{room}/messages` or `/api/rooms/{room}/audit`.
struct RoomEndpoint: Equatable {
    enum What: String, CaseIterable {
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
        // A thread's name has slashes itself.
        let place = request.path.dropFirst(Self.prefix.count)
        guard let end = place.lastIndex(of: "/"), let what = What(rawValue: String(place[end...].dropFirst())),
            let room = RoomName(String(place[..<end]))
        else {
            throw WireError(
                .noResource,
                "there is nothing at \(request.path): there is /api/rooms/NAME/messages, and audit, with a room's name as NAME"
            )
        }
        self.room = room
        self.what = what
    }

    /// The methods that the resource accepts, by their HTTP names.
    var methods: String {
        switch what {
        case .messages: "GET, HEAD, POST, OPTIONS"
        case .audit: "GET, HEAD, OPTIONS"
        }
    }
}

/// A page of a room's audit log: `?before=&limit=`.
struct AuditParameters: Equatable {
    /// The revision that the page precedes.
    let before: Revision
    /// The length of the page, in entries.
    let limit: Int

    init(_ query: String?, limits: WireLimits) throws(WireError) {
        let query = try HTTPQuery(query, parameters: ["before", "limit"])
        before = try query.number("before") ?? PastQuery.end
        limit = try query.limit(in: 1...UInt64(limits.rows), default: 50)
    }
}

/// A page of a room's messages: `?before=&after=&limit=`, or one of `?id=`, `?revision=` and `?time=` with `&limit=`.
struct PastQuery: Equatable {
    let place: PagePlace
    /// The length of the page, in rows.
    let limit: Int

    /// Above every integer on the wire.
    fileprivate static let end: UInt64 = 1 << 53

    init(_ query: String?, limits: WireLimits) throws(WireError) {
        let query = try HTTPQuery(query, parameters: ["before", "after", "id", "revision", "time", "limit"])
        limit = try query.limit(in: 1...UInt64(limits.rows), default: 50)
        let bounds = (after: try query.number("after"), before: try query.number("before"))
        let anchors = [
            try query.id("id").map { PagePlace.Anchor.id($0) }, try query.number("revision").map { .revision($0) },
            try query.number("time").map { .time(Milliseconds($0)) },
        ].compactMap(\.self)
        switch (bounds.after, bounds.before, anchors.count) {
        case (nil, nil, 1): place = .around(anchors[0])
        case (nil, let before, 0): place = .before(before ?? Self.end)
        case (let after?, nil, 0): place = .after(after)
        case (let after?, let before?, 0):
            guard after < before else {
                throw WireError(.invalid, "after: \(after) is not below before, \(before)", field: "after")
            }
            place = .between(after: after, before: before)
        default:
            throw WireError(
                .invalid, "id, revision and time go with limit only: send one of them, or before and after", field: "id"
            )
        }
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
