import ChatWire

/// The only row of the table `store`, which every transaction reads. It holds the values in force on all servers.
struct StoreLine {
    let format: Int
    let epoch: Epoch
    let generation: Int64
    /// The timeline of the copy that the servers went on with. An earlier copy must not be used.
    let fence: Int64
    /// The map whose servers may read and write; `nil` before there is one.
    let map: UniqueID?

    /// - Errors: `senseless`; `outgrown` when this server does not know the format in force.
    init(_ answer: Answer, knows: Int) throws(PostgresFailure) {
        guard let row = answer.rows.first else { throw .senseless(column: "in_force", room: nil) }
        let format = try row.integer(0)
        guard format <= knows else { throw .outgrown(inForce: Int(format), known: knows) }
        guard let epoch = Epoch(row.text(1)) else { throw row.senseless(1) }
        self.format = Int(format)
        self.epoch = epoch
        generation = try row.integer(2)
        fence = try row.integer(3)
        map = row.isNull(4) ? nil : try row.id(4)
    }
}
