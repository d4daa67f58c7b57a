import ChatRoom
import ChatWire
import RoomStore

/// Compares a copy of the database with this server's knowledge, and begins a new epoch if history was lost.
struct FailoverCheck: Sendable {
    let address: PostgresAddress
    let lease: Lease
    let history: History

    /// Checks the copy. If it has every commit that this server acknowledged, that is noted in it. If not, a new epoch
    /// begins. A new epoch also begins if an earlier server did not note that in time, because its acknowledgements are
    /// then unknown.
    ///
    /// One server at a time checks. The result is durable when this returns.
    ///
    /// - Parameter forgotten: the generation in which the copy was found to lack something.
    func run(
        over connection: Connection, forgotten: Int64? = nil, until end: ContinuousClock.Instant
    ) throws(PostgresFailure) {
        let (origin, known) = (connection.origin, history.acknowledged)
        let answers = try connection.run(
            [
                .run("BEGIN"), .run(Lease.lock, .text(address.schema)),
                .run(
                    Query.goOn.sql, .integer(origin.system), .integer(origin.timeline),
                    .text(UniqueID.random().description)),
                .run(Query.line.sql),
                .run("SELECT lane, count FROM witnesses WHERE server = $1::text", .text(lease.server.description)),
                .run(Query.silent.sql, .text(lease.server.description)),
            ], until: end)
        let line = try StoreLine(answers[3], knows: lease.knows)
        let why = try loss(in: line, known, answers[4], answers[5], isForgotten: line.generation == forgotten)
        var steps: [Connection.Step] = []
        if why != nil {
            let epoch = Parameter.text(UniqueID.random().description)
            steps = [
                .run(Query.beginEpoch.sql, epoch, .integer(history.generation)),
                .run(Query.forgetSilent.sql), .run(Query.lowerDeliveries.sql),
            ]
        }
        steps += [
            .run(Query.vouch.sql, .text(lease.server.description), .integer(origin.timeline)),
            .run(Query.forgetWitnesses.sql), .run(Query.line.sql), .run("COMMIT"),
        ]
        let last = try connection.runDurably(steps, until: end)
        try history.apply(StoreLine(last[steps.count - 2], knows: lease.knows), from: origin)
        history.vouchedFor = origin.timeline
        if let why { history.publish(.warned("history was lost: a new epoch has begun", why: "\(origin.host) \(why)")) }
    }

    /// Describes the loss; `nil` if there is none, or if the new epoch has already begun.
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
