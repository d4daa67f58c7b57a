import ChatWire

/// What a run, or its part in one process, came to.
struct Report: Codable, Sendable {
    // MARK: What was asked for and what was done
    var connections = 0
    /// Seconds.
    var joinTime = 0.0
    var runTime = 0.0
    var settleTime = 0.0
    var sent = 0
    var acknowledged = 0
    var heldBack = 0
    /// Changes of messages that came to readers, and the frames that they came in.
    var deliveries = 0
    var frames = 0
    var sendToOK = Histogram()
    var sendToSeen = Histogram()
    var reconnections = 0
    var resumedByDiff = 0
    /// By the reason that the server gave.
    var resumedBySnapshot: [String: Int] = [:]
    var stalls = 0
    /// Seconds from when all readers were cut until the last was where the server is again.
    var herdTime: Double?

    // MARK: What must be zero
    /// Acknowledged, and not as the acknowledgement said.
    var lost = 0
    var doubled = 0
    var disordered = 0
    /// Readers whose replica is not what the server has.
    var diverged = 0
    var digestMismatches = 0
    /// Frames that did not fit what was held, or themselves.
    var torn = 0
    /// Readers that had not caught up in time, or commands without an answer.
    var behind = 0
    var refused = 0
    var lostConnections = 0

    /// What went wrong, in words, and how often.
    var complaints: [String: Int] = [:]

    // MARK: The server, if its process is known
    /// Seconds of its CPU while all joined, and while the writers wrote.
    var serverJoinCPU: Double?
    var serverCPU: Double?
    /// Bytes.
    var serverMemory: Int?
    var memoryPerConnection: Int?
    /// Seconds, of this program.
    var ownCPU = 0.0

    var isAllRight: Bool {
        lost + doubled + disordered + diverged + digestMismatches + torn + behind + refused + lostConnections == 0
    }

    mutating func complain(_ what: String) {
        complaints[what, default: 0] += 1
    }

    /// Adds what another process did at the same time.
    mutating func merge(_ other: Report) {
        for field in Self.sums { self[keyPath: field] += other[keyPath: field] }
        joinTime = max(joinTime, other.joinTime)
        runTime = max(runTime, other.runTime)
        settleTime = max(settleTime, other.settleTime)
        herdTime = [herdTime, other.herdTime].compactMap(\.self).max()
        sendToOK.merge(other.sendToOK)
        sendToSeen.merge(other.sendToSeen)
        resumedBySnapshot.merge(other.resumedBySnapshot, uniquingKeysWith: +)
        complaints.merge(other.complaints, uniquingKeysWith: +)
        ownCPU += other.ownCPU
    }

    private static var sums: [WritableKeyPath<Report, Int>] {
        [
            \.connections, \.sent, \.acknowledged, \.heldBack, \.deliveries, \.frames, \.reconnections,
            \.resumedByDiff, \.stalls, \.lost, \.doubled, \.disordered, \.diverged, \.digestMismatches, \.torn,
            \.behind, \.refused, \.lostConnections,
        ]
    }
}
