import ChatWire
import Synchronization

/// Epochs of members' lists, which live in memory only: no two lists that were begun anew have the same, in this run of
/// the server or another.
final class MemberEpochs: Sendable {
    private let run = String(UInt64.random(in: .min ... .max), radix: 36)
    private let last = Atomic<UInt64>(0)

    func next() -> Epoch {
        let number = last.add(1, ordering: .relaxed).newValue
        guard let epoch = Epoch("\(run)-\(number)") else { preconditionFailure("\(run)-\(number) is no epoch") }
        return epoch
    }
}
