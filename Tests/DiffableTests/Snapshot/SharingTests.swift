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

    /// For each section, how many of its pages are those of the other snapshot.
    private func shared(_ a: Snapshot<Int, Int>, _ b: Snapshot<Int, Int>) -> [Int] {
        a.order.map { token in
            a.slots[token].rows.numbers.count { a.pages[Int($0)].isShared(with: b.pages[Int($0)]) }
        }
    }

    @Test
    func pagesThatAChangeDoesNotTouchStayShared() {
        let before = sections(4, of: 640)
        var after = before

        after.insertItems([10_000], afterItem: 700)
        after.moveItem(0, afterItem: 639)
        after.moveSection(3, beforeSection: 0)
        after.reloadItems([1_300])

        #expect(shared(before, after) == [9, 9, 10, 10])
        #expect(shared(before, before) == [10, 10, 10, 10])
    }

    @Test
    func rowsThatComeAtTheFrontFillPagesOfTheirOwn() {
        let before = sections(1, of: 640)
        var after = before

        for item in 1...200 { after.insertItems([-item], beforeItem: 1 - item) }

        #expect(shared(before, after).first == 9 && after.pages.homes.count == 12)
        #expect(after.itemIdentifiers == Array(-200..<640))
        #expect(after.difference(from: before).insertedItems.map(\.item) == Array(0..<200))
    }

    @Test
    func deletingWhatIsNotThereLeavesCopiesShared() {
        let before = sections(2, of: 3)
        var after = before
        after.deleteItems([77])

        #expect(shared(before, after) == [1, 1])
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
        #expect(snapshot.pages.homes.count <= 8)
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
