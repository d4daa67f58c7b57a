import ChatWire
import WebSocketTransport

/// An operator's request to the admin API under `/admin/v1/`.
enum AdminRequest: Equatable {
    case rooms(after: RoomName?, limit: Int)
    case room(RoomName)
    case people(RoomName)
    case audit(RoomName, before: Revision, limit: Int)
    case members(RoomName, after: UserName?, limit: Int)
    case memberships(UserName)
    case profile(UserName)
    /// Whom a user has blocked, and who has blocked them.
    case blocks(UserName)
    case replaceProfile(ProfileOrder)
    case operate(ServiceCommand)
    case connections(after: ConnectionID?, limit: Int)
    case close(ClosingOrder)
    case stats
    case drain
    case drainStatus
    case rebalance(RebalanceOrder)
    case rebalanceStatus
    case backup(BackupOrder)
    case backupStatus

    static let prefix = "/admin/v1/"

    /// - Throws: ``AdminRefusal`` with the fault and its remedy.
    init(_ request: HTTPRequest, limits: WireLimits) throws(AdminRefusal) {
        let place = try AdminPlace(request.path)
        try place.require(request.method)
        do throws(WireError) {
            guard request.method == .post else {
                self = try Self.read(place, try HTTPQuery(request.query, parameters: place.parameters))
                return
            }
            _ = try HTTPQuery(request.query, parameters: [])
            self = try Self.write(place, request.body, limits)
            try AdminFields.check(request.body, of: place)
        } catch {
            throw .error(error)
        }
    }

    private static func read(_ place: AdminPlace, _ query: HTTPQuery) throws(WireError) -> AdminRequest {
        switch place {
        case .rooms: .rooms(after: try query.room("after"), limit: try page(query))
        case .room(let room): .room(room)
        case .people(let room): .people(room)
        case .audit(let room): .audit(room, before: try query.number("before") ?? .max, limit: try page(query))
        case .members(let room): .members(room, after: try query.user("after"), limit: try page(query))
        case .memberships: .memberships(try person(query, "whose memberships, as in memberships?user=ann"))
        case .profile: .profile(try person(query, "whose profile, as in profile?user=ann"))
        case .blocks: .blocks(try person(query, "whose blocks, as in blocks?user=ann"))
        case .connections: .connections(after: try query.connection("after"), limit: try page(query))
        case .stats: .stats
        case .drain: .drainStatus
        case .rebalance: .rebalanceStatus
        case .backup: .backupStatus
        case .operations, .closing: preconditionFailure("\(place) is write-only")
        }
    }

    /// Reads the length of a page.
    private static func page(_ query: HTTPQuery) throws(WireError) -> Int {
        try query.limit(in: 1...1_000, default: 100)
    }

    private static func person(_ query: HTTPQuery, _ example: String) throws(WireError) -> UserName {
        guard let user = try query.user("user") else {
            throw WireError(.missing, "user is missing: say \(example)", field: "user")
        }
        return user
    }

    private static func write(
        _ place: AdminPlace, _ body: [UInt8], _ limits: WireLimits
    ) throws(WireError) -> AdminRequest {
        switch place {
        case .operations: .operate(try ServiceCommand(json: body, limits: limits))
        case .closing: .close(try ClosingOrder(json: body))
        case .profile: .replaceProfile(try ProfileOrder(json: body))
        case .drain: .drain
        case .rebalance: .rebalance(try RebalanceOrder(json: body))
        case .backup: .backup(try BackupOrder(json: body))
        case .rooms, .room, .people, .audit, .members, .memberships, .blocks, .connections, .stats:
            preconditionFailure("\(place) is read-only")
        }
    }
}

/// The reason why a request is refused.
enum AdminRefusal: Error {
    case error(WireError)
    /// The resource accepts only these methods.
    case method(allowed: String)
}
