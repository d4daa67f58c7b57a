import ChatRoom
import ChatWire

// The faults that are put in on purpose, between the parts.

extension World {
    func falsify(_ outcomes: inout [CommitOutcome]) {
        for index in outcomes.indices {
            switch outcomes[index] {
            case .committed(let revision, .deleted) where strikes(.lostDeletion, 1):
                outcomes[index] = .committed(revision, .nothing)
            case .committed(let revision, let change) where revision > 1 && strikes(.revisionTwice):
                outcomes[index] = .committed(revision - 1, change)
            case .repeated where strikes(.forgottenRepeat, 1):
                outcomes[index] = .conflict
            case .committed, .repeated, .conflict, .refused:
                break
            }
        }
    }

    /// Swaps two messages of one author.
    func swap(_ operations: inout [Operation], on disk: Disk) {
        guard !weather.isModerated,  // or the rules of the moment may refuse them, whichever comes first
            let first = operations.first, let last = operations.last, first.author == last.author,
            [first, last].allSatisfy({ $0.command == $0.message && disk.truth.commands[$0.command] == nil }),
            !postponed.contains(first.command), first.command != last.command, strikes(.swappedOperations, 1)
        else { return }
        operations.swapAt(0, operations.count - 1)
    }

    /// Counts the strikes of a lost tombstone: those that a reader is to miss.
    func noteDeletions(in delivery: ListDelivery<Message>, of disk: Disk) {
        guard suffers(.lostTombstone), case .diff(let diff, _) = delivery else { return }
        let net = disk.truth.diff(from: diff.from, to: diff.to)
        if net.deletions.count > diff.deletions.count { strikes += 1 }
    }

    func falsified(_ reading: RoomReading) -> RoomReading {
        guard case .all(let changes) = reading.changes else { return reading }
        let rows = changes.filter { if case .row = $0 { true } else { false } }
        guard suffers(.lostTombstone) else { return reading }
        return RoomReading(
            revision: reading.revision, count: reading.count, tail: reading.tail, changes: .all(rows),
            rules: reading.rules)
    }

    /// How often an answer is sent.
    func timesSaid(_ answer: ServerFrame) -> Int {
        if strikes(.lostAnswer) { 0 } else if strikes(.doubledAnswer) { 2 } else { 1 }
    }
}
