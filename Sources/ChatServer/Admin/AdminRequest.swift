import ChatWire
import WebSocketTransport

/// What an operator asks for, under `/admin/v1/`.
enum AdminRequest: Equatable {
    case rooms(after: RoomName?, limit: Int)
    case room(RoomName)
    case people(RoomName)
    case audit(RoomName, before: Revision, limit: Int)
    case stats

    static let prefix = "/admin/v1/"

    /// - Throws: what was wrong with it and what would be right.
    init(_ request: HTTPRequest) throws(AdminRefusal) {
        let place = try AdminPlace(request.path)
        try place.require(request.method)
        do throws(WireError) {
            self = try Self.read(place, try AdminQuery(request.query, of: place))
        } catch {
            throw .error(error)
        }
    }

    private static func read(_ place: AdminPlace, _ query: AdminQuery) throws(WireError) -> AdminRequest {
        switch place {
        case .rooms: .rooms(after: try query.room("after"), limit: try query.limit())
        case .room(let room): .room(room)
        case .people(let room): .people(room)
        case .audit(let room): .audit(room, before: try query.number("before") ?? .max, limit: try query.limit())
        case .stats: .stats
        }
    }
}

/// Why a request is none.
enum AdminRefusal: Error {
    case error(WireError)
    /// These are the methods of what is there.
    case method(allowed: String)
}

/// Something that is there to be asked, or to be told something.
enum AdminPlace: Equatable {
    case rooms
    case room(RoomName)
    case people(RoomName)
    case audit(RoomName)
    case stats

    init(_ path: String) throws(AdminRefusal) {
        let parts = path.dropFirst(AdminRequest.prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        let room = parts.count > 1 && parts[0] == "rooms" ? RoomName(String(parts[1])) : nil
        switch (parts.first, parts.count, room) {
        case ("rooms", 1, _): self = .rooms
        case ("rooms", 2, let room?): self = .room(room)
        case ("rooms", 3, let room?) where parts[2] == "people": self = .people(room)
        case ("rooms", 3, let room?) where parts[2] == "audit": self = .audit(room)
        case ("stats", 1, _): self = .stats
        default: throw .error(.nothing(at: path))
        }
    }

    func require(_ method: HTTPRequest.Method) throws(AdminRefusal) {
        guard methods.contains(method) else { throw .method(allowed: methods.map(\.rawValue).joined(separator: ", ")) }
    }

    private var methods: [HTTPRequest.Method] {
        switch self {
        case .rooms, .room, .people, .audit, .stats: [.get, .head]
        }
    }

    /// What a query may say of it.
    var parameters: [Substring] {
        switch self {
        case .rooms: ["after", "limit"]
        case .audit: ["before", "limit"]
        case .room, .people, .stats: []
        }
    }
}

extension WireError {
    fileprivate static func nothing(at path: String) -> WireError {
        WireError(
            .notFound,
            "there is nothing at \(path): there are rooms, rooms/NAME, rooms/NAME/people, rooms/NAME/audit and stats, "
                + "with 1 to 64 letters, digits, '.', '_' and '-' as NAME")
    }
}
