import ChatRoom
import ChatWire
import Locking
import RoomStore

/// What this server knows of the one history that all servers are to share: which copy of the database carries it on, its
/// epoch, and what of it this server has acknowledged.
///
/// A history is lost when a database that is reached later lacks what was acknowledged, as after the promotion of a
/// standby that was behind, or when it is of an earlier generation. Then a new epoch begins, on every server at once.
final class History: Sendable {
    private struct State: Sendable {
        var system: Int64 = 0
        /// The latest that was seen.
        var timeline: Int64 = 0
        /// How often an epoch has begun; it only grows.
        var generation: Int64
        var epoch: Epoch
        /// How many times each lane of this server has committed durably, as far as it was told.
        var acknowledged: [Int: Int64] = [:]
        var vouchedFor: Int64 = 0
        /// A connection that was opened before a durable commit over another was answered: while it is there, the
        /// database has not started anew.
        var sentinel: Origin.Backend?
        var receive: (@Sendable (News) -> Void)?
    }

    private let state: Guarded<State>

    init() {
        state = Guarded(State(generation: 0, epoch: .unknown))
    }

    var epoch: Epoch { state.withLock { $0.epoch } }
    var system: Int64 { state.withLock { $0.system } }
    var timeline: Int64 { state.withLock { $0.timeline } }
    var generation: Int64 { state.withLock { $0.generation } }

    func listen(_ receive: @escaping @Sendable (News) -> Void) {
        state.withLock { $0.receive = receive }
    }

    func tell(_ news: News) {
        state.withLock { $0.receive }?(news)
    }

    // MARK: - Copies

    /// - Errors: `stale` for an earlier history than one that was seen, and for another database.
    func admit(_ origin: Origin) throws(PostgresFailure) {
        try state.withLock { (state) throws(PostgresFailure) in
            guard state.system == 0 || state.system == origin.system else {
                throw .stale("\(origin.host) is another database than it was: restart the servers if that is meant")
            }
            guard state.timeline <= origin.timeline else {
                throw .stale(
                    "\(origin.host) is an old primary (timeline \(origin.timeline), and timeline \(state.timeline) has "
                        + "begun): make it a standby of the new one")
            }
            (state.system, state.timeline) = (origin.system, origin.timeline)
        }
    }

    // MARK: - Epochs

    /// Takes over what a transaction over `origin` has found in force.
    ///
    /// - Errors: `stale` when the servers went on with another copy; `lost` for an earlier generation, until it was
    ///   reviewed.
    func take(_ line: StoreLine, from origin: Origin) throws(PostgresFailure) {
        try admit(origin)
        guard line.fence <= origin.timeline else {
            throw .stale(
                "\(origin.host) is an old primary: the servers went on with timeline \(line.fence): make it a standby of "
                    + "the new one")
        }
        let receive = try state.withLock { (state) throws(PostgresFailure) -> (@Sendable (News) -> Void)? in
            if line.generation == state.generation, line.epoch == state.epoch { return nil }
            guard line.generation > state.generation || state.epoch == .unknown else {
                throw .lost("\(origin.host) is of an earlier epoch than the servers are")
            }
            (state.generation, state.epoch) = (line.generation, line.epoch)
            // What was acknowledged before is of another epoch.
            state.acknowledged = [:]
            return state.receive
        }
        receive?(.renewed)
    }

    // MARK: - Witnesses

    /// A lane's count, as its next durable commit will leave it.
    ///
    /// - Errors: `forgotten` when the database does not know of the last one that was acknowledged.
    func check(_ count: Int64, of lane: Int) throws(PostgresFailure) {
        guard count > state.withLock({ $0.acknowledged[lane] ?? 0 }) else { throw .forgotten }
    }

    func acknowledged(_ count: Int64, of lane: Int) {
        state.withLock { $0.acknowledged[lane] = count }
    }

    var acknowledged: [Int: Int64] { state.withLock { $0.acknowledged } }

    /// The last timeline that was found to have all that this server acknowledged.
    var vouchedFor: Int64 {
        get { state.withLock { $0.vouchedFor } }
        set { state.withLock { $0.vouchedFor = newValue } }
    }

    // MARK: - Proof

    var sentinel: Origin.Backend? {
        get { state.withLock { $0.sentinel } }
        set { state.withLock { $0.sentinel = newValue } }
    }
}

extension Epoch {
    /// Before the first connection.
    fileprivate static let unknown: Epoch = {
        guard let epoch = Epoch("unknown") else { preconditionFailure("'unknown' is no epoch") }
        return epoch
    }()
}
