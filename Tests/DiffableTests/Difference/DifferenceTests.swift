import Diffable
import Testing

private typealias Step = ChangeSet.Step<ItemPath>

private func path(_ section: Int, _ item: Int) -> ItemPath { ItemPath(section: section, item: item) }

private func snapshot(_ sections: KeyValuePairs<String, [Int]>) -> Snapshot<String, Int> {
    var snapshot = Snapshot<String, Int>()
    for (section, items) in sections {
        snapshot.appendSections([section])
        snapshot.appendItems(items, toSection: section)
    }
    return snapshot
}

@Suite
struct DifferenceTests {
    @Test
    func aRowDraggedFromTopToBottomIsOneMove() {
        let old = snapshot(["a": Array(0..<100)])
        var new = old
        new.moveItem(0, afterItem: 99)

        #expect(new.difference(from: old).movedItems == [Step(from: path(0, 0), to: path(0, 99))])
    }

    @Test
    func anItemThatChangesItsSectionMoves() {
        let changes = snapshot(["a": [1], "b": [2, 3]]).difference(from: snapshot(["a": [1, 2], "b": [3]]))

        #expect(changes.movedItems == [Step(from: path(0, 1), to: path(1, 0))])
        #expect(changes.deletedItems.isEmpty && changes.insertedItems.isEmpty)
    }

    @Test
    func anItemMovesOutOfASectionThatGoesIntoOneThatComes() {
        let changes = snapshot(["new": [2, 3]]).difference(from: snapshot(["old": [1, 2]]))

        #expect(changes.movedItems == [Step(from: path(0, 1), to: path(0, 0))])
        #expect(changes.deletedSections == [0] && changes.insertedSections == [0])
        #expect(changes.deletedItems.isEmpty && changes.insertedItems.isEmpty)
    }

    @Test
    func itemsGoWithTheSectionThatMoves() {
        let old = snapshot(["a": [1], "b": [2], "c": [3]])
        var new = old
        new.moveSection("c", beforeSection: "a")

        let changes = new.difference(from: old)

        #expect(changes.movedSections == [ChangeSet.Step(from: 2, to: 0)])
        #expect(changes.movedItems.isEmpty && changes.insertedItems.isEmpty && changes.deletedItems.isEmpty)
    }

    @Test
    func aRefreshNamesThePlaceBeforeAndThePlaceAfter() {
        let old = snapshot(["a": [1, 2, 3]])
        var new = snapshot(["a": [3, 4, 2]])
        new.reloadItems([2])
        new.reconfigureItems([2, 3])

        let changes = new.difference(from: old)

        #expect(changes.reloadedItems == [Step(from: path(0, 1), to: path(0, 2))])
        #expect(changes.reconfiguredItems == [Step(from: path(0, 2), to: path(0, 0))])
    }

    @Test
    func whatComesNewNeedsNoRefresh() {
        let old = snapshot(["a": [1]])
        var new = snapshot(["a": [1, 2], "b": [3]])
        new.reloadItems([2, 3])
        new.reloadSections(["b"])

        #expect(!new.difference(from: old).refreshes)
    }

    @Test
    func aReloadedSectionTakesInTheRefreshesOfItsItems() {
        let old = snapshot(["a": [1], "b": [2, 3]])
        var new = snapshot(["b": [2, 3], "a": [1]])
        new.reloadItems([2])
        new.reconfigureItems([1, 3])
        new.reloadSections(["b"])

        let changes = new.difference(from: old)

        #expect(changes.reloadedSections == [ChangeSet.Step(from: 1, to: 0)])
        #expect(changes.reloadedItems.isEmpty)
        #expect(changes.reconfiguredItems == [Step(from: path(0, 0), to: path(1, 0))])
    }

    @Test
    func itemsThatMoveIntoANewSectionMarkedForReloadAreReloaded() {
        let old = snapshot(["a": [1, 2]])
        var new = snapshot(["a": [1], "b": [2, 3]])
        new.reloadSections(["b"])

        #expect(new.difference(from: old).reloadedItems == [Step(from: path(0, 1), to: path(1, 0))])
    }

    @Test
    func allIdentifiersInOneHashBucketAreComparedRightly() {
        var old = Snapshot<Int, Colliding>()
        old.appendSections([0])
        old.appendItems((0..<200).map { Colliding($0) })
        var new = Snapshot<Int, Colliding>()
        new.appendSections([0])
        new.appendItems((0..<200).reversed().filter { $0 != 7 }.map { Colliding($0) })

        let changes = new.difference(from: old)

        #expect(changes.deletedItems == [path(0, 7)] && changes.movedItems.count == 198)
    }
}
