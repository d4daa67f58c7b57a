import ChatWire
import Replicas
import TestSupport
import Testing

/// The laws of every history.
struct ReplicaLawTests {
    static let epoch = ListModel.epoch

    @Test(arguments: UInt64(0)..<50)
    func aDiffAppliedToItsBaseGivesItsTarget(seed: UInt64) throws {
        var model = ListModel(seed: seed, .anything, revisions: 150)
        for _ in 0..<10 {
            let base = model.revision()
            let target = model.revision(from: base)
            var replica = try model.replica(at: base)

            try replica.apply(model.diff(from: base, to: target), epoch: Self.epoch)

            #expect(replica.rows == model.rows(at: target))
            #expect(replica.revision == target)
            #expect(replica.rows.indices.allSatisfy { replica.index(of: replica.rows[$0].id) == $0 })
        }
    }

    @Test(arguments: UInt64(0)..<50)
    func aReaderOfAnyDepthHoldsTheEndOfTheTarget(seed: UInt64) throws {
        var model = ListModel(seed: seed, .appending, revisions: 300)
        for _ in 0..<10 {
            let base = model.revision(from: 150)
            let limit = Int.random(in: 32...80, using: &model.random)
            var replica = try model.replica(at: base, limit: limit)
            let first = replica.rows[0].sort
            let target = model.revision(from: base)

            try replica.apply(model.diff(from: base, to: target), epoch: Self.epoch)

            #expect(replica.rows == model.rows(at: target).filter { $0.sort >= first })
            #expect(replica.count == model.rows(at: target).count)
        }
    }

    @Test(arguments: UInt64(0)..<50)
    func aDiffToTheSameRevisionChangesNothing(seed: UInt64) throws {
        var model = ListModel(seed: seed, .anything, revisions: 100)
        let base = model.revision()
        let diff = model.diff(from: base, to: base)
        var replica = try model.replica(at: base)

        #expect(diff.changeCount == 0)
        #expect(try replica.apply(diff, epoch: Self.epoch).isEmpty)
        #expect(replica.rows == model.rows(at: base))
    }

    @Test(arguments: UInt64(0)..<50)
    func manyDiffsLeaveWhatOneLeaves(seed: UInt64) throws {
        var model = ListModel(seed: seed, .anything, revisions: 150)
        let base = model.revision()
        let target = model.revision(from: base)
        var steps = try model.replica(at: base)
        var leap = steps

        while steps.revision < target {
            let next = Revision.random(in: (steps.revision + 1)...target, using: &model.random)
            try steps.apply(model.diff(from: steps.revision, to: next), epoch: Self.epoch)
        }
        try leap.apply(model.diff(from: base, to: target), epoch: Self.epoch)

        #expect(steps.rows == leap.rows)
        #expect(steps.resume().revision == leap.resume().revision)
    }

    @Test(arguments: UInt64(0)..<50)
    func aReplicaOfNothingCatchesUpFromTheBeginning(seed: UInt64) throws {
        let model = ListModel(seed: seed, .anything, revisions: 100)
        var replica = try model.replica(at: 0)

        try replica.apply(model.diff(from: 0, to: model.revision), epoch: Self.epoch)

        #expect(replica.rows == model.rows(at: model.revision))
    }

    @Test(arguments: UInt64(0)..<50)
    func theChangesSayWhatChanged(seed: UInt64) throws {
        var model = ListModel(seed: seed, .anything, revisions: 150)
        let base = model.revision()
        var replica = try model.replica(at: base)
        let before = Dictionary(uniqueKeysWithValues: replica.rows.map { ($0.id, $0) })

        let changes = try replica.apply(model.diff(from: base, to: model.revision), epoch: Self.epoch)

        let after = Dictionary(uniqueKeysWithValues: replica.rows.map { ($0.id, $0) })
        let moved = before.filter { id, row in
            after[id].map { ($0.section, $0.sort) != (row.section, row.sort) } ?? false
        }
        #expect(Set(changes.deleted) == Set(before.keys).subtracting(after.keys))
        #expect(Set(changes.inserted) == Set(after.keys).subtracting(before.keys))
        #expect(Set(changes.moved) == Set(moved.keys))
        let touched = changes.moved + changes.reloaded + changes.reconfigured
        #expect(Set(touched) == Set(before.keys).filter { after[$0] != nil && after[$0] != before[$0] })
    }
}

/// Pages and diffs arrive in any order.
struct ReplicaPageTests {
    @Test(arguments: UInt64(0)..<50)
    func pagesAndDiffsMayCross(seed: UInt64) throws {
        var model = ListModel(seed: seed, .appending, revisions: 400)
        let start = model.revision(from: 200)
        var replica = try model.replica(at: start, limit: 32)
        while replica.revision < model.revision {
            if Bool.random(using: &model.random), let before = replica.earliest {
                let ahead = model.revision(from: replica.revision)
                let page = model.page(at: ahead, before: before, limit: Int.random(in: 1...50, using: &model.random))
                try replica.insert(page, epoch: ListModel.epoch)
            }
            let next = Revision.random(in: (replica.revision + 1)...model.revision, using: &model.random)
            let to = min(next, replica.revision + 20)
            let before = replica
            try replica.apply(model.diff(from: replica.revision, to: to), epoch: ListModel.epoch)
            #expect(replica.rows.allSatisfy { row in before[row.id].map { $0.rev <= row.rev } ?? true })
        }

        let floor = replica.earliest ?? 0
        #expect(replica.rows == model.rows(at: model.revision).filter { $0.sort >= floor })
        #expect(replica.rows.indices.allSatisfy { replica.index(of: replica.rows[$0].id) == $0 })
    }

    @Test func pagesReachTheBeginning() throws {
        let model = ListModel(seed: 1, .appending, revisions: 300)
        var replica = try model.replica(at: 300, limit: 32)

        while let before = replica.earliest {
            try replica.insert(model.page(at: 300, before: before, limit: 50), epoch: ListModel.epoch)
        }

        #expect(replica.rows == model.rows(at: 300))
        #expect(!replica.more)
    }

    @Test func aPageOlderThanTheReplicaIsRefused() throws {
        let model = ListModel(seed: 1, .appending, revisions: 100)
        var replica = try model.replica(at: 100, limit: 32)
        let page = model.page(at: 99, before: replica.earliest ?? 0, limit: 50)

        #expect(throws: ReplicaError.stalePage(held: 100, page: 99)) {
            try replica.insert(page, epoch: ListModel.epoch)
        }
    }

    /// A page was asked for twice, and the second has rows that came in between.
    @Test func rowsOfAPageThatADiffWillBringArePassedOver() throws {
        let model = ListModel(seed: 2, .appending, revisions: 100)
        var replica = try model.replica(at: 90, limit: 32)

        try replica.insert(model.page(at: 100, before: .max, limit: 500), epoch: ListModel.epoch)
        try replica.apply(model.diff(from: 90, to: 100), epoch: ListModel.epoch)

        #expect(replica.rows == model.rows(at: 100))
    }

    /// Deleted down to a few rows, then filled from a page that is ahead of the diffs.
    @Test func theProofIsNotHeldAgainstRowsThatAreAhead() throws {
        var rows = (1...40).map { Card(id: $0, sort: UInt64($0), rev: UInt64($0)) }
        func proof(_ rows: [Card]) -> ListProof {
            ListProof(count: rows.count, digest: ListDigest(rows.suffix(32)).value)
        }
        var replica = try Replica(
            epoch: ListModel.epoch, joined: 40,
            ListSnapshot(revision: 40, rows: Array(rows.suffix(32)), more: true, proof: proof(rows)))
        rows[0].text = 9
        rows[0].rev = 73  // at 73 the first row is edited, after 32 deletions up to 72
        let page = ListPage(revision: 73, rows: Array(rows[..<8]), before: 9, more: false)

        try replica.insert(page, epoch: ListModel.epoch)
        var older = Array(rows[..<8])
        older[0].rev = 1
        try replica.apply(
            ListDiff(from: 40, to: 72, deletions: Array(9...40), proof: proof(older)), epoch: ListModel.epoch)
        try replica.apply(
            ListDiff(from: 72, to: 73, reloads: [rows[0]], proof: proof(Array(rows[..<8]))), epoch: ListModel.epoch)

        #expect(replica.rows == Array(rows[..<8]))
    }
}
