import ChatWire
import Replicas

// What must hold of each reader.

extension AbsenceWorld {
    /// What is held is what is there: as a reader holds it that was never away.
    func check(_ seat: Seat) {
        guard let replica = seat.replica, replica.revision >= seat.newestPage else { return }
        let all = model[replica.revision]
        let right = all.filter { replica.held.contains($0.sort) }.map { row in
            var row = row
            row.section = row.section(joined: replica.joined)
            return row
        }
        if replica.rows != right {
            complain("\(replica.rows.count) rows at \(replica.revision) in \(replica.held.ranges), not \(right.count)")
        }
        if replica.count != all.count { complain("it counts \(replica.count) rows, not \(all.count)") }
        let isWhole = replica.rows.count == all.count && replica.revision > seat.newestPage
        if isWhole, replica.more || replica.held.hasGaps { complain("a gap without rows") }
    }

    func end(_ resume: Resume, of seat: Seat, _ before: Replica<Message>, by diff: ListDiff<Message>) {
        guard let after = seat.replica else { return }
        let absence = Absence(
            resume: resume, limit: seat.limit, limits: limits, before: model[resume.revision], after: model[diff.to],
            diff: diff, mayLetGo: resume.revision < model.floor || seat.readings > 2)
        for fault in absence.faults { complain("\(fault), after \(resume)") }
        let named = resume.ranges ?? [0...resume.revision]
        let there = Set(model[diff.to].map(\.id))
        let lost = before.rows.filter { row in
            there.contains(row.id) && after[row.id] == nil && named.contains { $0.contains(row.sort) }
                && diff.ranges?.contains { $0.keys.contains(row.sort) } ?? true
        }
        if !lost.isEmpty { complain("\(lost.map(\.sort)) were held, and were not let go of") }
        tally.add(
            gap: after.held.hasGaps, reading: seat.readings > 0, loss: absence.lost != nil,
            forgotten: resume.revision < model.floor)
    }
}
