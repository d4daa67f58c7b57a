import Testing

@testable import Diffable

/// What copies of a snapshot have in common, and what many small changes cost.
@Suite
struct SharingTests {
    private func sections(_ count: Int, of items: Int) -> Snapshot<Int, Int> {
        var snapshot = Snapshot<Int, Int>()
        for section in 0..<count {
            snapshot.appendSections([section])
            snapshot.appendItems(Array(section * items..<(section + 1) * items))
        }
        return snapshot
    }

    private func shared(_ a: Snapshot<Int, Int>, _ b: Snapshot<Int, Int>) -> [Bool] {
        a.sectionIdentifiers.map { a.shares(a.indexOfSection($0)!, with: b, b.indexOfSection($0)!) }
    }

    @Test
    func sectionsThatAChangeDoesNotTouchStayShared() {
        let before = sections(4, of: 100)
        var after = before

        after.appendItems([1_000], toSection: 1)
        after.moveSection(3, beforeSection: 0)
        after.reloadItems([0])

        #expect(shared(before, after) == [true, false, true, true])
        #expect(shared(before, before) == [true, true, true, true])
    }

    @Test
    func deletingWhatIsNotThereLeavesCopiesShared() {
        let before = sections(2, of: 3)
        var after = before
        after.deleteItems([77])

        #expect(shared(before, after) == [true, true])
    }

    /// Anything that costs more with each append would take minutes.
    @Test
    func tenTimesTenThousandSingleAppendsAreDoneInNoTime() {
        var snapshot = Snapshot<Int, Int>()
        snapshot.appendSections(Array(0..<10))

        for item in 0..<100_000 { snapshot.appendItems([item], toSection: item % 10) }

        #expect(snapshot.numberOfItems == 100_000 && snapshot.indexOfItem(99_999) == 99_999)
    }

    @Test
    func aSnapshotIsNoLargerForWhatItOnceHeld() {
        var snapshot = sections(1, of: 64)

        for item in 64..<20_000 {
            snapshot.appendItems([item])
            snapshot.deleteItems([item - 64])
        }

        #expect(snapshot.index.count == 64 && snapshot.index.mask + 1 <= 256)
        #expect(snapshot.itemIdentifiers == Array(19_936..<20_000))
    }

    @Test
    func tokensOfDeletedSectionsAreUsedAgain() {
        var snapshot = sections(2, of: 1)

        for section in 2..<200 {
            snapshot.appendSections([section])
            snapshot.deleteSections([section - 1])
        }

        #expect(snapshot.slots.count <= 4 && snapshot.sectionIdentifiers == [0, 199])
    }
}
