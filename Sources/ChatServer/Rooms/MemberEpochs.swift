import ChatWire

/// Epochs of members' lists, which live in memory only: no two lists that were begun anew have the same, in this run of
/// the server or another.
struct MemberEpochs {
    private let prefix: String
    private var last: UInt64 = 0

    /// - Parameter run: a name that no other run has.
    init(run: String, shard: Int) {
        prefix = "\(run)-\(shard)"
    }

    mutating func next() -> Epoch {
        last += 1
        guard let epoch = Epoch("\(prefix)-\(last)") else { preconditionFailure("\(prefix)-\(last) is no epoch") }
        return epoch
    }
}
