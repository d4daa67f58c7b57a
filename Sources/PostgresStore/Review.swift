import ChatRoom
import ChatWire
import RoomStore

/// Holds what a copy of the database has against what this server knows, and begins a new epoch where history was lost.
struct Review: Sendable {
    let address: PostgresAddress
    let lease: Lease
    let history: History

    /// Looks whether the copy has all that this server acknowledged, says so in it if that is so, and begins a new epoch
    /// if not, or if a server of before has not said so in time: nobody knows then what that had acknowledged.
    ///
    /// One server at a time does. Durable when it returns.
    ///
    /// - Parameter forgotten: in this generation it was found to lack something.
    func carryOut(
        over connection: Connection, forgotten: Int64? = nil, until end: ContinuousClock.Instant
    ) throws(PostgresFailure) {
        let (origin, known) = (connection.origin, history.acknowledged)
        let answers = try connection.run(
            [
                .run("BEGIN"), .run(Lease.lock, .text(address.schema)),
                .run(
                    Query.goOn.rawValue, .integer(origin.system), .integer(origin.timeline),
                    .text(UniqueID.random().description)),
                .run(Query.line.rawValue),
                .run("SELECT lane, count FROM witnesses WHERE server = $1::text", .text(lease.server.description)),
                .run(Query.silent.rawValue, .text(lease.server.description)),
            ], until: end)
        let line = try StoreLine(answers[3], knows: lease.knows)
        let why = try loss(in: line, known, answers[4], answers[5], isForgotten: line.generation == forgotten)
        var steps: [Connection.Step] = []
        if why != nil {
            let epoch = Parameter.text(UniqueID.random().description)
            steps = [
                .run(Query.beginEpoch.rawValue, epoch, .integer(history.generation)),
                .run(Query.forgetSilent.rawValue), .run(Query.lowerDeliveries.rawValue),
            ]
        }
        steps += [
            .run(Query.vouch.rawValue, .text(lease.server.description), .integer(origin.timeline)),
            .run(Query.forgetServers.rawValue), .run(Query.forgetWitnesses.rawValue), .run(Query.line.rawValue),
            .run("COMMIT"),
        ]
        let last = try connection.runDurably(steps, until: end)
        try history.take(StoreLine(last[steps.count - 2], knows: lease.knows), from: origin)
        history.vouchedFor = origin.timeline
        if let why { history.tell(.warned("history was lost: a new epoch has begun", why: "\(origin.host) \(why)")) }
    }

    /// In words; `nil` for none, and when the new epoch has begun already.
    private func loss(
        in line: StoreLine, _ known: [Int: Int64], _ witnesses: Answer, _ silent: Answer, isForgotten: Bool
    ) throws(PostgresFailure) -> String? {
        if line.generation < history.generation { return "is of an earlier epoch" }
        var found: [Int64: Int64] = [:]
        for row in witnesses.rows { found[try row.integer(0)] = try row.integer(1) }
        if line.generation == history.generation {
            guard line.epoch == history.epoch else { return "is of another epoch" }
            let lacks = known.contains { lane, count in found[Int64(lane)] ?? 0 < count }
            if lacks || isForgotten { return "lacks what this server had acknowledged" }
        }
        guard let count = try silent.rows.first?.integer(0), count > 0 else { return nil }
        return "may lack what \(count) servers had acknowledged that are gone"
    }
}
