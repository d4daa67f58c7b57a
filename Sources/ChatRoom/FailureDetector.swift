/// Tells which other servers are there, from signs of life that are late, or are missed while this one does not listen.
///
/// Its time passes only while this server listens: after a pause of its own, or of what carries the signs, nobody has been
/// silent for long. Whoever is heard for the first time, or again, is to be asked what there is: everything that it told
/// before was missed.
package struct FailureDetector: Sendable {
    package enum Finding: Equatable, Sendable {
        /// Nothing was heard of a server for as long as one may be silent.
        case lost(ServerID)
        /// Everybody has had time to answer since this server listened anew: what nobody has said since then is not so.
        case caughtUp
    }

    private let silence: Duration
    /// How much a single step counts for at most.
    private let longestStep: Duration
    private var now = Duration.zero
    private var heard: [ServerID: Duration] = [:]
    private var isCaughtUp: Duration?

    /// - Parameters:
    ///   - silence: how long a server may be silent.
    ///   - step: how often ``pass(_:)`` is called while all is well.
    package init(silence: Duration, step: Duration) {
        self.silence = silence
        longestStep = step * 2
    }

    /// - Returns: whether it was not there: it is to be asked.
    package mutating func hear(_ server: ServerID) -> Bool {
        heard.updateValue(now, forKey: server) == nil
    }

    /// Nothing was heard until now. Everybody is to be asked, and told, for they may have asked meanwhile.
    package mutating func listenAnew() {
        for server in heard.keys { heard[server] = now }
        isCaughtUp = now + silence
    }

    /// To be called in steps while this server listens, when what has arrived is heard.
    ///
    /// - Parameter time: since the call before.
    package mutating func pass(_ time: Duration) -> [Finding] {
        now += min(time, longestStep)
        var findings = heard.filter { now - $0.value > silence }.keys.sorted().map { Finding.lost($0) }
        for case .lost(let server) in findings { heard[server] = nil }
        if let time = isCaughtUp, time < now {
            isCaughtUp = nil
            findings.append(.caughtUp)
        }
        return findings
    }
}
