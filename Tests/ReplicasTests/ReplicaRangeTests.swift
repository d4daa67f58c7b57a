import ChatWire
import Replicas
import TestSupport
import Testing

/// A replica that holds several parts of a list is right in each of them, whatever it was away for.
struct ReplicaRangeTests {
    @Test(arguments: UInt64(0)..<500)
    func aReplicaIsRightInEachOfItsRanges(seed: UInt64) throws {
        var model = ListModel(seed: seed, .appending, revisions: 400)
        var replica = try model.replica(at: model.revision(from: 60), limit: 32)
        while replica.revision < model.revision {
            switch Int.random(in: 0..<4, using: &model.random) {
            case 0: try replica.insert(somePage(for: replica, &model), epoch: ListModel.epoch)
            case 1: try comeBack(&replica, &model)
            default:
                let next = min(model.revision, replica.revision + UInt64.random(in: 1...9, using: &model.random))
                try replica.apply(model.diff(from: replica.revision, to: next), epoch: ListModel.epoch)
            }
            #expect(replica.held.ranges.count <= Resume.mostRanges)
        }
        let held = replica.held
        #expect(
            replica.rows
                == model.rows(at: model.revision).filter { row in held.ranges.contains { $0.contains(row.sort) } })
        #expect(replica.rows.indices.allSatisfy { replica.index(of: replica.rows[$0].id) == $0 })
        #expect(held.gaps.allSatisfy { $0.after + 1 < $0.before })
        #expect(Set(held.gaps.map(\.id)).count == held.gaps.count)
    }

    /// A page of any place, as of the replica's revision or later.
    private func somePage(for replica: Replica<Card>, _ model: inout ListModel) -> ListPage<Card> {
        let revision = min(model.revision, model.revision(from: replica.revision))
        let from = UInt64.random(in: 0...revision, using: &model.random)
        let to = min(revision, from + UInt64.random(in: 0...60, using: &model.random))
        let all = model.rows(at: revision)
        return ListPage(
            revision: revision, from: from, to: to, rows: all.filter { (from...to).contains($0.sort) },
            more: all.contains { $0.sort < from }, newer: all.contains { $0.sort > to })
    }

    /// The answer to a resume: a gap before the last rows, and now and then less than what was held.
    private func comeBack(_ replica: inout Replica<Card>, _ model: inout ListModel) throws {
        let base = replica.revision
        let to = model.revision(from: base)
        let new = model.rows(at: to).filter { $0.sort > base }
        var diff = model.diff(from: base, to: to)
        diff.insertions = Array(new.suffix(32))
        var kept = (replica.resume().ranges ?? []).filter { _ in Int.random(in: 0..<5, using: &model.random) > 0 }
        if new.count > 32 {
            kept.append(diff.insertions[0].sort...(.max))
        } else if let last = kept.last, last.upperBound == base {
            kept[kept.count - 1] = last.lowerBound...(.max)
        } else {
            // The end of the list is always held.
            kept.append((to == base ? base : base + 1)...(.max))
        }
        diff.ranges = kept.map { keys in
            let rows = model.rows(at: to).filter { keys.contains($0.sort) }
            return ListRange(keys, proof: ListProof(count: rows.count, digest: ListDigest(rows).value))
        }
        let gaps = Set(replica.held.gaps)
        try replica.apply(diff, epoch: ListModel.epoch)
        // A gap that is as it was keeps its name.
        for gap in replica.held.gaps where gaps.contains(where: { $0.after == gap.after && $0.before == gap.before }) {
            #expect(gaps.contains(gap))
        }
    }

    /// Each absence leaves a gap, and nobody fills one: a resume must not name more ranges than the server takes.
    @Test func manyAbsencesLeaveAResumeThatTheServerTakes() throws {
        let model = ListModel(seed: 3, .appending, revisions: 3_000)
        var replica = try model.replica(at: 100, limit: 32)
        for absence in 1...25 {
            let named = try #require(replica.resume(at: replica.rows[0].sort).ranges)
            #expect(named.count <= Resume.mostRanges && named[0].contains(replica.rows[0].sort))
            #expect(named.last?.upperBound == replica.revision)

            let (base, to) = (replica.revision, Revision(100 + 110 * absence))
            var diff = model.diff(from: base, to: to)
            diff.insertions = Array(diff.insertions.suffix(32))
            let kept = named + [diff.insertions[0].sort...(.max)]
            diff.ranges = kept.map { keys in
                let rows = model.rows(at: to).filter { keys.contains($0.sort) }
                return ListRange(keys, proof: ListProof(count: rows.count, digest: ListDigest(rows).value))
            }
            try replica.apply(diff, epoch: ListModel.epoch)
        }
        #expect(replica.held.ranges.count == Resume.mostRanges + 1)
    }

    @Test func aRangeThatIsNotWhatTheServerHasIsFound() throws {
        let model = ListModel(seed: 3, .appending, revisions: 200)
        var replica = try model.replica(at: 200, limit: 100)
        let ranges = try #require(replica.resume().ranges)
        var diff = ListDiff<Card>(from: 200, to: 200, proof: model.proof(at: 200))
        diff.ranges = [ListRange(ranges[0].lowerBound...(.max), proof: ListProof(count: replica.rows.count, digest: 1))]

        #expect(throws: ReplicaError.self) { try replica.apply(diff, epoch: ListModel.epoch) }
    }
}
