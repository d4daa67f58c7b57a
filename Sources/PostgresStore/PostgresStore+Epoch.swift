package import ChatWire
package import RoomStore

extension PostgresStore {
    /// Begins a new epoch by hand, such as after a backup took the database's place unnoticed.
    ///
    /// Every client gets a snapshot. Running servers notice within a second.
    ///
    /// - Errors: those of opening the store.
    package static func beginEpoch(at address: PostgresAddress) throws(RoomStoreError) -> Epoch {
        do throws(PostgresFailure) {
            let connection = try Connection.open(address, seeing: History())
            let answers = try connection.runDurably(
                [
                    .run("BEGIN"), .run(Lease.lock, .text(address.schema)),
                    .run(Query.beginEpoch.sql, .text(UniqueID.random().description), .integer(0)),
                    .run(Query.lowerDeliveries.sql), .run(Query.forgetSilent.sql),
                    // The caller has chosen this copy.
                    .run("UPDATE store SET fence = 0"), .run(Query.line.sql), .run("COMMIT"),
                ], until: .now + Connection.patience)
            return try StoreLine(answers[6], knows: .max).epoch
        } catch {
            throw RoomStoreError(error, at: address.place)
        }
    }
}
