package import ChatWire
package import RoomStore

extension PostgresStore {
    /// Begins a new epoch by hand, such as after a backup took the database's place unnoticed.
    ///
    /// Every client gets a snapshot. Running servers notice within a second. Of several machines that take writes, the
    /// one with the latest history is chosen, as the servers do.
    ///
    /// - Returns: the epoch, and the name of the machine.
    /// - Errors: those of opening the store.
    package static func beginEpoch(
        at address: PostgresAddress
    ) throws(RoomStoreError) -> (epoch: Epoch, host: String) {
        let lease = Lease(server: .random(), knows: .max, length: .zero, schema: address.schema)
        let failoverCheck = FailoverCheck(address: address, lease: lease, history: History())
        OldPrimaries(failoverCheck).search()
        do throws(PostgresFailure) {
            let connection = try Connection.open(address, seeing: failoverCheck.history)
            let answers = try connection.runDurably(
                [
                    .run("BEGIN"), .run(Lease.lock, .text(address.schema)),
                    .run(Query.beginEpoch.sql, .text(UniqueID.random().description), .integer(0)),
                    .run(Query.lowerDeliveries.sql), .run(Query.forgetSilent.sql),
                    // The caller has chosen this copy.
                    .run("UPDATE store SET fence = 0"),
                    // The copy may be of before there were maps.
                    .run("SELECT in_force, epoch, generation, fence, NULL FROM store"), .run("COMMIT"),
                ], until: .now + Connection.patience)
            return (try StoreLine(answers[6], knows: .max).epoch, connection.origin.host)
        } catch {
            throw RoomStoreError(error, at: address.place)
        }
    }
}
