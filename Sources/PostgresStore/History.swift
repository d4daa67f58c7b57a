import ChatRoom
import ChatWire
import Locking
import RoomStore

/// This server's knowledge of the one history that all servers share: the copy of the database that continues it, its
/// epoch, and the commits that this server has acknowledged.
///
/// A history is lost when a database lacks acknowledged commits or is of an earlier generation. An
/// example is the promotion of a standby that was behind. Then a new epoch begins, on every server at once.
final class History: Sendable {
    private struct State: Sendable {
        var system: Int64 = 0
        /// The latest timeline that was seen.
        var timeline: Int64 = 0
        /// The number of epochs that have begun. It only grows.
        var generation: Int64
        var epoch: Epoch
        /// The number of durable commits of each lane of this server that were acknowledged.
        var acknowledged: [Int: Int64] = [:]
        var vouchedFor: Int64 = 0
        /// A connection that was opened before a durable commit on another one was answered. While it exists, the
        /// database has not restarted. `nil` while it is in doubt whether others see only durable commits.
        var sentinel: Origin.Backend?
        /// The number of times that such a doubt arose.
        var unconfirmedCommits = 0
        /// The map of the server's list; `nil` before it is known.
        var map: UniqueID?
        var handler: (@Sendable (News) -> Void)?
    }

    private let state: Guarded<State>

    init() {
        state = Guarded(State(generation: 0, epoch: .unknown))
    }

    var epoch: Epoch { state.withLock { $0.epoch } }
    var system: Int64 { state.withLock { $0.system } }
    var timeline: Int64 { state.withLock { $0.timeline } }
    var generation: Int64 { state.withLock { $0.generation } }

    func listen(_ handler: @escaping @Sendable (News) -> Void) {
        state.withLock { $0.handler = handler }
    }

    func publish(_ news: News) {
        state.withLock { $0.handler }?(news)
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

    // MARK: - Maps

    /// Notes the map that the server's list of databases has been found to be.
    func bind(to map: UniqueID) {
        state.withLock { $0.map = map }
    }

    /// - Errors: `misplaced` once the rooms were moved to other databases.
    private func require(_ map: UniqueID?) throws(PostgresFailure) {
        guard let bound = state.withLock({ $0.map }), bound != map else { return }
        let why = "the rooms were moved to other databases: start the server again with the list that has them"
        publish(.misplaced(why))
        throw .misplaced(why)
    }

    // MARK: - Epochs

    /// Applies the epoch and generation that a transaction on `origin` has found in force.
    ///
    /// - Errors: `stale` when the servers went on with another copy; `lost` for an earlier generation that was not
    ///   reviewed yet; `misplaced`.
    func apply(_ line: StoreLine, from origin: Origin) throws(PostgresFailure) {
        try admit(origin)
        try require(line.map)
        guard line.fence <= origin.timeline else {
            throw .stale(
                "\(origin.host) is an old primary: the servers went on with timeline \(line.fence): make it a standby of "
                    + "the new one")
        }
        let handler = try state.withLock { (state) throws(PostgresFailure) -> (@Sendable (News) -> Void)? in
            if line.generation == state.generation, line.epoch == state.epoch { return nil }
            guard line.generation > state.generation || state.epoch == .unknown else {
                throw .lost("\(origin.host) is of an earlier epoch than the servers are")
            }
            (state.generation, state.epoch) = (line.generation, line.epoch)
            // Earlier acknowledgements are of another epoch.
            state.acknowledged = [:]
            return state.handler
        }
        handler?(.renewed)
    }

    // MARK: - Witnesses

    /// Checks a lane's count, as its next durable commit will leave it.
    ///
    /// - Errors: `forgotten` when the database lacks the last acknowledged commit.
    func check(_ count: Int64, of lane: Int) throws(PostgresFailure) {
        guard count > state.withLock({ $0.acknowledged[lane] ?? 0 }) else { throw .forgotten }
    }

    func acknowledged(_ count: Int64, of lane: Int) {
        state.withLock { $0.acknowledged[lane] = count }
    }

    var acknowledged: [Int: Int64] { state.withLock { $0.acknowledged } }

    /// The last timeline that was found to have every commit that this server acknowledged.
    var vouchedFor: Int64 {
        get { state.withLock { $0.vouchedFor } }
        set { state.withLock { $0.vouchedFor = newValue } }
    }

    // MARK: - Proof

    var sentinel: Origin.Backend? { state.withLock { $0.sentinel } }
    var unconfirmedCommits: Int { state.withLock { $0.unconfirmedCommits } }

    /// Records that a commit may have been cut off while it waited for a standby. Everybody sees it then, and only the
    /// next durable commit shows that the standby has it.
    func recordUnconfirmedCommit() {
        state.withLock { state in
            state.sentinel = nil
            state.unconfirmedCommits += 1
        }
    }

    /// Notes that a commit on this connection is durable, and all before it.
    ///
    /// - Parameter unconfirmed: the number of unconfirmed commits before the commit.
    func prove(by backend: Origin.Backend, since unconfirmed: Int) {
        state.withLock { if $0.unconfirmedCommits == unconfirmed { $0.sentinel = backend } }
    }
}

extension Epoch {
    /// The epoch before the first connection.
    fileprivate static let unknown: Epoch = {
        guard let epoch = Epoch("unknown") else { preconditionFailure("'unknown' is no epoch") }
        return epoch
    }()
}
