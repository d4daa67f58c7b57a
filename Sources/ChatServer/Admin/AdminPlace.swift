import ChatWire
import WebSocketTransport

/// A resource of the admin API under `/admin/v1/`.
enum AdminPlace: Equatable {
    case rooms
    case room(RoomName)
    case people(RoomName)
    case audit(RoomName)
    case members(RoomName)
    case memberships
    case profile
    case blocks
    case operations
    case connections
    case closing
    case stats
    case drain
    case rebalance
    case backup

    private static let unnamed: [Substring: AdminPlace] = [
        "rooms": .rooms, "operations": .operations, "connections": .connections, "stats": .stats, "drain": .drain,
        "backup": .backup, "memberships": .memberships, "profile": .profile, "blocks": .blocks,
        "rebalance": .rebalance,
    ]

    init(_ path: String) throws(AdminRefusal) {
        var parts = path.dropFirst(AdminRequest.prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        // A thread's name has slashes itself.
        if parts.count > 3, parts[0] == "rooms", parts[2] == "thread" {
            parts.replaceSubrange(1...3, with: [parts[1...3].joined(separator: "/")[...]])
        }
        if parts.count == 1, let place = Self.unnamed[parts[0]] {
            self = place
            return
        }
        let room = parts.count > 1 && parts[0] == "rooms" ? RoomName(String(parts[1])) : nil
        switch (room, parts.count, parts.last) {
        case (nil, 2, "close") where parts[0] == "connections": self = .closing
        case (let room?, 2, _): self = .room(room)
        case (let room?, 3, "people"): self = .people(room)
        case (let room?, 3, "audit"): self = .audit(room)
        case (let room?, 3, "members"): self = .members(room)
        default: throw .error(.nothing(at: path))
        }
    }

    func require(_ method: HTTPRequest.Method) throws(AdminRefusal) {
        guard methods.contains(method) else { throw .method(allowed: methods.map(\.rawValue).joined(separator: ", ")) }
    }

    private var methods: [HTTPRequest.Method] {
        switch self {
        case .rooms, .room, .people, .audit, .members, .memberships, .blocks, .connections, .stats: [.get, .head]
        case .profile, .drain, .rebalance, .backup: [.get, .head, .post]
        case .operations, .closing: [.post]
        }
    }

    /// The query parameters that the resource accepts.
    var parameters: [Substring] {
        switch self {
        case .rooms, .members, .connections: ["after", "limit"]
        case .memberships, .profile, .blocks: ["user"]
        case .audit: ["before", "limit"]
        case .room, .people, .operations, .closing, .stats, .drain, .rebalance, .backup: []
        }
    }
}

extension WireError {
    fileprivate static func nothing(at path: String) -> WireError {
        WireError(
            .noResource,
            "there is nothing at \(path): there are rooms, rooms/NAME, rooms/NAME/people, rooms/NAME/members, "
                + "rooms/NAME/audit, memberships, profile, blocks, operations, connections, connections/close, stats, drain, rebalance and backup, "
                + "with a room's name as NAME"
        )
    }
}
