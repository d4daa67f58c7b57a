import ChatWire

/// The results of a run, or of its part in one process.
struct Report: Codable, Sendable {
    // MARK: Work
    var connections = 0
    /// Seconds.
    var joinTime = 0.0
    var runTime = 0.0
    var settleTime = 0.0
    var sent = 0
    var acknowledged = 0
    var heldBack = 0
    /// The changes of messages that readers received, and below, the frames that carried them.
    var deliveries = 0
    var frames = 0
    var sendToOK = Histogram()
    var sendToSeen = Histogram()
    var reconnections = 0
    var resumedByDiff = 0
    /// The gaps that the server declared.
    var gaps = 0
    /// By the reason that the server gave.
    var resumedBySnapshot: [String: Int] = [:]
    var stalls = 0
    /// The changes of members' own lists that they received, and below, the rows of them that were recounted on the way.
    var inboxFrames = 0
    var recounts = 0
    /// Seconds from the moment when all readers were cut until the last had caught up again.
    var herdTime: Double?

    // MARK: Counts that must be zero
    /// Changes that were acknowledged and are not in the room.
    var lost = 0
    var doubled = 0
    var disordered = 0
    /// Readers whose replica differs from the server's list.
    var diverged = 0
    var digestMismatches = 0
    /// Frames that contradict the replica or themselves.
    var torn = 0
    /// Readers that came back in the same epoch and received a snapshot.
    var startedOver = 0
    /// Members with a list that is wrong at the end.
    var wrongLists = 0
    /// States of members' lists that contradicted themselves, or what the member had of its room, on the way.
    var wrongStates = 0
    /// Readers that did not catch up in time, and commands without an answer.
    var behind = 0
    var refused = 0
    var lostConnections = 0

    /// The failures in words, with their counts.
    var complaints: [String: Int] = [:]

    // MARK: The server, if its process is known
    /// Seconds of its CPU during the joining, and below, during the writing.
    var serverJoinCPU: Double?
    var serverCPU: Double?
    /// Bytes.
    var serverMemory: Int?
    var memoryPerConnection: Int?
    /// Seconds of this program's CPU.
    var ownCPU = 0.0

    var isAllRight: Bool {
        [
            lost, doubled, disordered, diverged, digestMismatches, torn, startedOver, wrongLists, wrongStates, behind,
            refused, lostConnections,
        ].allSatisfy { $0 == 0 }
    }

    mutating func recordFailure(_ what: String) {
        complaints[what, default: 0] += 1
    }

    /// Adds the results of another process of the same run.
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
            \.resumedByDiff, \.gaps, \.stalls, \.inboxFrames, \.recounts, \.lost, \.doubled, \.disordered, \.diverged,
            \.digestMismatches, \.torn, \.startedOver, \.wrongLists, \.wrongStates, \.behind, \.refused,
            \.lostConnections,
        ]
    }
}
