import ChatWire

/// The one line of the table `store`, which every transaction reads: what is in force on all servers.
struct StoreLine {
    let format: Int
    let epoch: Epoch
    let generation: Int64
    /// The servers went on with a copy of this timeline: an earlier one is not to be used.
    let fence: Int64

    /// - Errors: `senseless`; `outgrown` when the format in force is not known here.
    init(_ answer: Answer, knows: Int) throws(PostgresFailure) {
        guard let row = answer.rows.first else { throw .senseless(column: "in_force", room: nil) }
        let format = try row.integer(0)
        guard format <= knows else { throw .outgrown(inForce: Int(format), known: knows) }
        guard let epoch = Epoch(row.text(1)) else { throw row.senseless(1) }
        self.format = Int(format)
        self.epoch = epoch
        generation = try row.integer(2)
        fence = try row.integer(3)
    }
}
