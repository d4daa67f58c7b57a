import ChatWire
import RoomStore

/// The reason why a call to the database failed.
enum PostgresFailure: Error, Equatable {
    /// There is no connection, or it broke. The statements that were sent may have run.
    case lost(String)
    /// The database refused a statement, and rolled its transaction back.
    case refused(state: String, String)
    /// A column holds a value that no version of this program writes.
    case senseless(column: String, room: RoomName?)
    /// The database refused to write to this room, because its rows contradict each other.
    case contradiction(RoomName, String)
    /// The servers write operations in a format that this one does not know.
    case outgrown(inForce: Int, known: Int)
    /// A server that knows formats up to `living` is running, and the tables of this version need `least`.
    case ahead(living: Int, least: Int)
    /// There is no answer yet. The statements that were sent may still run.
    case late
    /// The database has an earlier history than one that a server has seen, or is another database.
    case stale(String)
    /// The database lacks commits that it acknowledged.
    case forgotten
    /// The database's texts are in this encoding, which cannot hold every text.
    case encoded(String)
    /// So many servers run, and what is asked needs that none does.
    case served(by: Int)
    /// The server's list of databases is not the one that the databases have recorded, with what would be right.
    case misplaced(String)
    /// The connections are shared with others, each for a transaction or a statement at a time.
    case pooled

    init(refused state: String, _ text: String) {
        self = Self.isOfPooler(text) ? .pooled : .refused(state: state, text)
    }

    init(lost text: String) {
        self = Self.isOfPooler(text) ? .pooled : .lost(text)
    }

    /// Returns whether pgbouncer has refused a transaction, since each statement may get another connection. It ends the
    /// connection then, and has no code of its own for it.
    private static func isOfPooler(_ text: String) -> Bool { text.contains("statement pooling mode") }

    /// Picks one failure of several machines: that of a machine which was reached, if there is one.
    init(ofAll failures: [PostgresFailure]) {
        let refused = failures.first { if case .lost = $0 { false } else { true } }
        let lost = failures.compactMap { if case .lost(let text) = $0 { text } else { nil } }
        self = refused ?? .lost(lost.joined(separator: "; "))
    }

    /// Returns the failure as one of this room's data, if it is one of data.
    func of(_ name: RoomName) -> PostgresFailure {
        switch self {
        case .senseless(let column, nil): .senseless(column: column, room: name)
        case .refused(let state, let text) where Self.isOfData(state): .contradiction(name, text)
        case .lost, .refused, .senseless, .contradiction, .outgrown, .ahead, .late, .stale, .forgotten, .encoded,
            .misplaced, .pooled, .served:
            self
        }
    }

    /// Returns whether a code stands for a value that does not fit, such as a second row of one key, or for an
    /// unreadable row.
    fileprivate static func isOfData(_ state: String) -> Bool {
        ["XX001", "XX002"].contains(state) || ["22", "23"].contains(state.prefix(2))
    }

    /// True when the same statements may succeed on another connection.
    var isPassing: Bool {
        switch self {
        case .lost, .late, .stale, .forgotten: true
        // Shutting down, cancelled, starting, no longer the primary, idle for too long, or too many connections.
        case .refused(let state, _):
            state.hasPrefix("57") || state.hasPrefix("08") || ["25006", "25P03", "53300"].contains(state)
        case .senseless, .contradiction, .outgrown, .ahead, .encoded, .misplaced, .pooled, .served: false
        }
    }

    /// True when the cause may be tables or values that only a later version knows.
    var mayBeOutgrown: Bool {
        switch self {
        case .refused(let state, _): state.hasPrefix("42")
        case .senseless: true
        case .lost, .contradiction, .outgrown, .ahead, .late, .stale, .forgotten, .encoded, .misplaced, .pooled,
            .served:
            false
        }
    }

    /// True when two transactions blocked each other, and this one must begin again.
    var isCollision: Bool {
        if case .refused(let state, _) = self { ["40P01", "40001", "55P03"].contains(state) } else { false }
    }
}

extension RoomStoreError {
    /// - Parameter place: the database, for people; without a password.
    init(_ failure: PostgresFailure, at place: String) {
        switch failure {
        case .lost(let text):
            self = .unavailable("\(place) cannot be reached (\(text)): see that it runs, and what --store says")
        case .late:
            self = .unavailable(
                "\(place) does not answer in time: see that it runs, and its synchronous standby if it has one")
        case .stale(let text): self = .unavailable("\(place): \(text)")
        case .forgotten: self = .unavailable("\(place) lacks what it had acknowledged: a new epoch begins")
        case .served(let count):
            self = .inUse("\(place) is served by \(count) servers: stop them, and wait until their leases have ended")
        case .encoded(let encoding):
            self = .notAStore(
                "\(place) has the encoding \(encoding), which cannot hold every message: make one with CREATE DATABASE "
                    + "… ENCODING 'UTF8' TEMPLATE template0, and name that in --store")
        case .refused(let state, let text): self.init(refused: text, state, at: place)
        case .senseless(let column, let room?):
            self = .damagedRoom(room, "\(place): no sense in column \(column)")
        case .contradiction(let room, let text): self = .damagedRoom(room, "\(place): \(text)")
        case .senseless(let column, nil):
            self = .damaged(
                "\(place) is damaged (no sense in column \(column)): put a backup in its place, or choose another --store"
            )
        case .outgrown(let inForce, let known): self = .newer(found: inForce, supported: known)
        case .ahead(let living, let least): self = .ahead(living: living, least: least)
        case .misplaced(let text): self = .misplaced(text)
        case .pooled:
            self = .notAStore(
                "\(place) is a pooler that shares its connections between transactions or statements: name the database itself in --store, "
                    + "or set pool_mode = session")
        }
    }

    /// - Parameter state: PostgreSQL's code of the refusal.
    private init(refused text: String, _ state: String, at place: String) {
        switch state {
        case "53100": self = .full("no more room for \(place) (\(text)): make room on its disk, then send again")
        case "25006", "42501":
            self = .readOnly(
                "\(place) cannot be written (\(text)): name the primary and a user who may write it in --store")
        case let state where PostgresFailure.isOfData(state) || state.hasPrefix("42"):
            self = .damaged("\(place) is damaged (\(text)): put a backup in its place, or choose another --store")
        default: self = .unavailable("\(place): \(text) (PostgreSQL's code \(state))")
        }
    }
}
