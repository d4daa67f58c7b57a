/// The report as `--json` prints it: one object, times in microseconds, memory in bytes.
struct Summary: Codable, Sendable {
    struct Latency: Codable, Sendable {
        let count: Int
        let p50, p95, p99, max: Int64

        init(_ histogram: Histogram) {
            count = histogram.total
            p50 = histogram.percentile(0.5)
            p95 = histogram.percentile(0.95)
            p99 = histogram.percentile(0.99)
            max = histogram.max
        }
    }

    let allIsRight: Bool
    let rooms, subscribers, publishers, duration, connections: Int
    let joinSeconds, runSeconds, settleSeconds: Double
    let sent, acknowledged, heldBack, deliveries, frames: Int
    let deliveriesPerSecond: Double
    let sendToOK, sendToSeen: Latency
    let reconnections, stalls, resumedByDiff, gaps: Int
    let members, inboxFrames, recounts: Int
    let resumedBySnapshot: [String: Int]
    let lost, doubled, disordered, diverged, digestMismatches, torn, startedOver: Int
    let wrongLists, wrongStates: Int
    let behind, refused, lostConnections: Int
    let complaints: [String: Int]
    let herdSeconds: Double?
    let serverMicrosecondsPerJoin, serverMicrosecondsPerDelivery: Double?
    let serverMemory, memoryPerConnection: Int?
    let ownCPUSeconds: Double
    let seed: UInt64

    init(_ report: Report, _ options: Options) {
        allIsRight = report.isAllRight
        (rooms, subscribers, publishers) = (options.rooms, options.subscribers, options.publishers)
        (duration, connections, seed) = (options.duration, report.connections, options.seed)
        (joinSeconds, runSeconds, settleSeconds) = (report.joinTime, report.runTime, report.settleTime)
        (sent, acknowledged, heldBack) = (report.sent, report.acknowledged, report.heldBack)
        (deliveries, frames) = (report.deliveries, report.frames)
        deliveriesPerSecond = Double(report.deliveries) / max(report.runTime, 0.001)
        (sendToOK, sendToSeen) = (Latency(report.sendToOK), Latency(report.sendToSeen))
        (reconnections, stalls) = (report.reconnections, report.stalls)
        (resumedByDiff, gaps, resumedBySnapshot) = (report.resumedByDiff, report.gaps, report.resumedBySnapshot)
        (lost, doubled, disordered, diverged) = (report.lost, report.doubled, report.disordered, report.diverged)
        (digestMismatches, torn) = (report.digestMismatches, report.torn)
        (members, inboxFrames, recounts) = (options.inbox, report.inboxFrames, report.recounts)
        (wrongLists, wrongStates) = (report.wrongLists, report.wrongStates)
        (startedOver, behind) = (report.startedOver, report.behind)
        (refused, lostConnections, complaints) = (report.refused, report.lostConnections, report.complaints)
        herdSeconds = report.herdTime
        serverMicrosecondsPerJoin = report.serverJoinCPU.map { $0 * 1e6 / Double(max(1, report.connections)) }
        serverMicrosecondsPerDelivery = report.serverCPU.map { $0 * 1e6 / Double(max(1, report.deliveries)) }
        (serverMemory, memoryPerConnection) = (report.serverMemory, report.memoryPerConnection)
        ownCPUSeconds = report.ownCPU
    }
}
