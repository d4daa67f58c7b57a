/// Detects which other servers are alive, from heartbeats that may be late or be missed while this server does not
/// listen.
///
/// Its time passes only while this server listens. After a pause of this server or of the network, no other server
/// counts as silent. A server that is heard for the first time, or again, must be asked for its state, because its
/// earlier news was missed.
package struct FailureDetector: Sendable {
    package enum Finding: Equatable, Sendable {
        /// A server was silent for longer than the limit.
        case lost(ServerID)
        /// All servers have had time to answer since this server listened anew. News that no server has repeated is no
        /// longer true.
        case caughtUp
    }

    private let silence: Duration
    /// The most time that a single step counts for.
    private let longestStep: Duration
    private var now = Duration.zero
    private var lastHeartbeats: [ServerID: Duration] = [:]
    private var isCaughtUp: Duration?

    /// - Parameters:
    ///   - silence: the longest silence of a server that is alive.
    ///   - step: the usual time between two calls of ``advance(_:)``.
    package init(silence: Duration, step: Duration) {
        self.silence = silence
        longestStep = step * 2
    }

    /// - Returns: true if the server is new or back, and must be asked for its state.
    package mutating func recordHeartbeat(_ server: ServerID) -> Bool {
        lastHeartbeats.updateValue(now, forKey: server) == nil
    }

    /// Notes that news was missed until now. The caller asks all servers for their state and tells them its own,
    /// because they may have asked meanwhile.
    package mutating func listenAnew() {
        for server in lastHeartbeats.keys { lastHeartbeats[server] = now }
        isCaughtUp = now + silence
    }

    /// Lets time pass. Call it in steps while this server listens, after the news that has arrived.
    ///
    /// - Parameter time: the time since the last call.
    package mutating func advance(_ time: Duration) -> [Finding] {
        now += min(time, longestStep)
        var findings = lastHeartbeats.filter { now - $0.value > silence }.keys.sorted().map { Finding.lost($0) }
        for case .lost(let server) in findings { lastHeartbeats[server] = nil }
        if let time = isCaughtUp, time < now {
            isCaughtUp = nil
            findings.append(.caughtUp)
        }
        return findings
    }
}
