import ChatWire
import RoomStore

/// Why a call to the database brought no answer.
enum PostgresFailure: Error, Equatable {
    /// There is no connection, or no longer: whether what was sent was done is not known.
    case lost(String)
    /// The database refused a statement, and rolled its transaction back.
    case refused(state: String, String)
    /// A column holds what no version of this program puts there.
    case senseless(column: String, room: RoomName?)
    /// The servers write operations in a format that is not known here.
    case outgrown(inForce: Int, known: Int)
    /// A server that knows formats up to `living` is running, and the tables of this version need `least`.
    case ahead(living: Int, least: Int)
    /// No answer yet: what was sent may still be done.
    case late
    /// It is an earlier history than one that a server on it has seen, or another database altogether.
    case stale(String)
    /// The database lacks what it had acknowledged.
    case forgotten
    /// Its texts are in this encoding.
    case encoded(String)

    /// Of a connection to any of several machines: the reason of the one that was reached, if there was one.
    init(ofAll failures: [PostgresFailure]) {
        let refused = failures.first { if case .lost = $0 { false } else { true } }
        let lost = failures.compactMap { if case .lost(let text) = $0 { text } else { nil } }
        self = refused ?? .lost(lost.joined(separator: "; "))
    }

    /// This failure, as one of a room's data if it is one of data.
    func of(_ name: RoomName) -> PostgresFailure {
        if case .senseless(let column, nil) = self { .senseless(column: column, room: name) } else { self }
    }

    /// Whether the same statements may well succeed over another connection.
    var isPassing: Bool {
        switch self {
        case .lost, .late, .stale, .forgotten: true
        // Shut down, cancelled or starting, not the primary any more, idle for too long, too many connections.
        case .refused(let state, _):
            state.hasPrefix("57") || state.hasPrefix("08") || ["25006", "25P03", "53300"].contains(state)
        case .senseless, .outgrown, .ahead, .encoded: false
        }
    }

    /// Whether it is what comes of tables and values that only a later version knows.
    var mayBeOutgrown: Bool {
        switch self {
        case .refused(let state, _): state.hasPrefix("42")
        case .senseless: true
        case .lost, .outgrown, .ahead, .late, .stale, .forgotten, .encoded: false
        }
    }

    /// Whether two transactions stood in each other's way: the same one is to be begun again.
    var isCollision: Bool {
        if case .refused(let state, _) = self { ["40P01", "40001", "55P03"].contains(state) } else { false }
    }
}

extension RoomStoreError {
    /// - Parameter place: which database, for people; without a password.
    init(_ failure: PostgresFailure, at place: String) {
        switch failure {
        case .lost(let text):
            self = .unavailable("\(place) cannot be reached (\(text)): see that it runs, and what --store says")
        case .late:
            self = .unavailable(
                "\(place) does not answer in time: see that it runs, and its synchronous standby if it has one")
        case .stale(let text): self = .unavailable("\(place): \(text)")
        case .forgotten: self = .unavailable("\(place) lacks what it had acknowledged: a new epoch begins")
        case .encoded(let encoding):
            self = .notAStore(
                "\(place) has the encoding \(encoding), which cannot hold every message: make one with CREATE DATABASE "
                    + "… ENCODING 'UTF8' TEMPLATE template0, and name that in --store")
        case .refused(let state, let text):
            switch state {
            case "53100": self = .full("no more room for \(place) (\(text)): make room on its disk, then send again")
            case "25006", "42501":
                self = .readOnly(
                    "\(place) cannot be written (\(text)): name the primary and a user who may write it in --store")
            case let state where ["XX001", "XX002"].contains(state) || ["22", "23", "42"].contains(state.prefix(2)):
                self = .damaged("\(place) is damaged (\(text)): put a backup in its place, or choose another --store")
            default: self = .unavailable("\(place): \(text) (PostgreSQL's code \(state))")
            }
        case .senseless(let column, let room?):
            self = .damagedRoom(room, "\(place): no sense in column \(column)")
        case .senseless(let column, nil):
            self = .damaged(
                "\(place) is damaged (no sense in column \(column)): put a backup in its place, or choose another --store"
            )
        case .outgrown(let inForce, let known): self = .newer(found: inForce, supported: known)
        case .ahead(let living, let least): self = .ahead(living: living, least: least)
        }
    }
}
