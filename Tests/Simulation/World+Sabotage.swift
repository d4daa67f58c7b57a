import ChatRoom
import ChatWire
import RoomStore

// The faults that are put in on purpose, between the parts.

extension World {
    func falsify(_ outcomes: inout [CommitOutcome]) {
        for index in outcomes.indices {
            switch outcomes[index] {
            case .committed(let revision, .deleted) where suffers(.lostDeletion):
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

    /// What a store says in which the fold takes a membership that was not loaded for none.
    func rewritten(
        _ outcomes: [CommitOutcome], of batch: [RoomOperation], on disk: Disk
    ) -> [CommitOutcome] {
        guard suffers(.rewrittenMembership) else { return outcomes }
        return zip(batch, outcomes).map { entry, outcome in
            guard entry.room.kind == .private,
                case .committed(let revision, .ruled(.standing(let user, let standing))) = outcome,
                disk.truth(of: entry.room).roster[user]?.kind == .member, standing.isAdmitted,
                strikes(.rewrittenMembership, 1)
            else { return outcome }
            return .committed(revision, .affiliated(Affiliation(user, standing, .invited)))
        }
    }

    /// Swaps two messages of one author.
    func swap(_ batch: inout [RoomOperation], on disk: Disk) {
        guard !weather.isModerated,  // or the rules of the moment may refuse them, whichever comes first
            let room = batch.first?.room, batch.last?.room == room,
            let first = batch.first?.operation, let last = batch.last?.operation, first.author == last.author,
            [first, last].allSatisfy({ $0.command == $0.message && disk.truth(of: room).commands[$0.command] == nil }),
            !postponed.contains(first.command), first.command != last.command, strikes(.swappedOperations, 1)
        else { return }
        batch.swapAt(0, batch.count - 1)
    }

    /// The operations, by whoever wrote the messages that they are about if they have a name that looks the same.
    func mistaken(_ batch: [RoomOperation], on disk: Disk) -> [RoomOperation] {
        guard suffers(.nameByEquivalence) else { return batch }
        return batch.map { entry in
            let operation = entry.operation
            guard operation.command != operation.message, disk.truth(of: entry.room).commands[operation.command] == nil,
                let row = disk.truth(of: entry.room).rows.last(where: { $0.id == operation.message }),
                row.author != operation.author, row.author.description == operation.author.description,
                strikes(.nameByEquivalence, 1)
            else { return entry }
            let mistaken = Operation(
                command: operation.command, author: row.author, role: operation.role, time: operation.time,
                action: operation.action)
            return RoomOperation(room: entry.room, operation: mistaken)
        }
    }

    func falsified(_ reading: HeldReading) -> HeldReading {
        guard suffers(.lostTombstone) else { return reading }
        let rows = reading.changes.filter { if case .row = $0 { true } else { false } }
        return HeldReading(revision: reading.revision, ranges: reading.ranges, rows: reading.rows, changes: rows)
    }

    func falsified(_ reading: RoomReading) -> RoomReading {
        guard case .all(let changes) = reading.changes else { return reading }
        let rows = changes.filter { if case .row = $0 { true } else { false } }
        guard suffers(.lostTombstone) else { return reading }
        return RoomReading(
            revision: reading.revision, count: reading.count, tail: reading.tail, changes: .all(rows),
            rules: reading.rules)
    }
}
