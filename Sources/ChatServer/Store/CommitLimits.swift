import ChatRoom
import ChatWire

/// The limits of one ``Committer``.
struct CommitLimits: Sendable {
    /// The number of operations that may wait for the disk. Beyond it the disk is not keeping up, and more would only
    /// wait longer.
    var operations = 65_536
    /// The bytes of operations that may wait for the disk, or be on their way there. One always may.
    var bytes: Int
    /// The longest time that operations wait for others that came together with them, and whose shard is slow.
    var patience: Duration
}

extension Operation {
    /// The size of its text, in bytes, for operations whose text may be long.
    var bytes: Int {
        switch action {
        case .send(let text, _, let mentions), .edit(_, let text, let mentions):
            mentions.people.reduce(text.utf8.count) { $0 + $1.description.utf8.count }
        case .delete, .react, .moderate, .join, .leave, .settings, .create: 0
        }
    }
}
