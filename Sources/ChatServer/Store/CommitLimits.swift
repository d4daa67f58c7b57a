package import ChatRoom
import ChatWire

/// The limits of one ``CommitQueue``.
package struct CommitLimits: Sendable {
    /// The number of operations that may wait for the disk. Beyond it the disk is not keeping up, and more would only
    /// wait longer.
    let operations: Int
    /// The number of read marks that may wait for the disk.
    let marks: Int
    /// The bytes of operations that may wait for the disk, or be on their way there. One always may.
    let bytes: Int
    /// The longest time that operations wait for others that came together with them, and whose shard is slow.
    let patience: Duration
    /// The time after which a transaction under way holds up no other rooms than its own.
    let lateness = Duration.milliseconds(50)

    package init(operations: Int = 65_536, marks: Int = 65_536, bytes: Int, patience: Duration) {
        self.operations = operations
        self.marks = marks
        self.bytes = bytes
        self.patience = patience
    }
}

extension Operation {
    /// The size of its content, in bytes, for operations whose content may be large.
    package var bytes: Int {
        switch action {
        case .send(let content): content.size
        case .edit(_, let edit): edit.size
        case .grow(_, let step): step.size
        case .delete, .react, .summarize, .moderate, .join, .leave, .settings, .create: 0
        }
    }
}
