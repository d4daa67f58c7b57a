import Diffable
import Testing

private func snapshot(_ sections: (Int, [String])...) -> Snapshot<Int, String> {
    var snapshot = Snapshot<Int, String>()
    for (section, items) in sections {
        snapshot.appendSections([section])
        snapshot.appendItems(items, toSection: section)
    }
    return snapshot
}

@Suite
struct SnapshotTests {
    @Test
    func itemsWithoutASectionGoToTheLast() {
        var snapshot = snapshot((1, []), (2, ["a"]))

        snapshot.appendItems(["b"])

        #expect(snapshot.itemIdentifiers(inSection: 2) == ["a", "b"])
    }

    @Test
    func appendingAnItemThatIsThereMovesItAndSaysSo() {
        var snapshot = snapshot((1, ["a", "b"]), (2, ["c"]))

        let moved = snapshot.appendItems(["a", "d"], toSection: 2)

        #expect(moved == ["a"])
        #expect(snapshot == DiffableTests.snapshot((1, ["b"]), (2, ["c", "a", "d"])))
    }

    @Test
    func appendingAnItemThatComesLateInTheArgumentKeepsTheOrderGiven() {
        var snapshot = snapshot((1, ["a", "b"]), (2, ["c"]))

        let moved = snapshot.appendItems(["x", "y", "b", "c"], toSection: 2)

        #expect(moved == ["b", "c"])
        #expect(snapshot == DiffableTests.snapshot((1, ["a"]), (2, ["x", "y", "b", "c"])))
    }

    @Test
    func aSectionAndAnItemMayHaveEqualIdentifiers() {
        var snapshot = Snapshot<Int, Int>()
        snapshot.appendSections([1])

        snapshot.appendItems([1])

        #expect(snapshot.indexOfItem(1) == 0 && snapshot.indexOfSection(1) == 0)
    }

    @Test
    func deletingAllItemsDropsTheSectionsToo() {
        var snapshot = snapshot((1, ["a"]), (2, ["b"]))
        snapshot.reloadItems(["a"])

        snapshot.deleteAllItems()
        snapshot.appendSections([1, 2])

        #expect(snapshot.numberOfItems == 0 && snapshot.sectionIdentifiers == [1, 2])
        #expect(snapshot.reloadedItemIdentifiers.isEmpty)
    }

    @Test
    func movingAnythingBesideItselfChangesNothing() {
        let before = snapshot((1, ["a", "b"]), (2, ["c"]))
        var after = before

        after.moveItem("a", afterItem: "a")
        after.moveItem("b", beforeItem: "b")
        after.moveSection(1, afterSection: 1)

        #expect(after == before)
    }

    @Test
    func anItemThatMovesKeepsItsMarks() {
        var snapshot = snapshot((1, ["a", "b"]), (2, ["c"]))
        snapshot.reloadItems(["a"])
        snapshot.reconfigureItems(["b"])

        snapshot.moveItem("a", afterItem: "c")
        snapshot.appendItems(["b"], toSection: 2)

        #expect(snapshot.reloadedItemIdentifiers == ["a"] && snapshot.reconfiguredItemIdentifiers == ["b"])
    }

    @Test
    func reloadWinsOverReconfigureWhicheverCameFirst() {
        var snapshot = snapshot((1, ["a", "b"]))
        snapshot.reloadItems(["a"])
        snapshot.reconfigureItems(["a", "b"])
        snapshot.reloadItems(["b"])

        #expect(snapshot.reloadedItemIdentifiers == ["a", "b"])
        #expect(snapshot.reconfiguredItemIdentifiers == [])
    }

    @Test
    func marksGoWithWhatIsDeleted() {
        var snapshot = snapshot((1, ["a", "b"]), (2, ["c"]))
        snapshot.reloadItems(["a", "b", "c"])
        snapshot.reloadSections([1, 2])

        snapshot.deleteItems(["b"])
        snapshot.deleteSections([2])
        snapshot.appendItems(["b", "c"])

        #expect(snapshot.reloadedItemIdentifiers == ["a"] && snapshot.reloadedSectionIdentifiers == [1])
    }

    @Test
    func deletingWhatIsNotThereIsIgnored() {
        let before = snapshot((1, ["a"]))
        var after = before

        after.deleteItems(["x", "y"])
        after.deleteSections([7])

        #expect(after == before)
    }

    @Test
    func equalityIgnoresMarks() {
        let plain = snapshot((1, ["a"]))
        var marked = plain
        marked.reloadItems(["a"])

        #expect(marked == plain)
    }

    @Test
    func aReloadKeepsTheIdentifierThatIsHeld() {
        var snapshot = Snapshot<Int, Labelled>()
        snapshot.appendSections([0])
        snapshot.appendItems([Labelled(id: 1, label: "old")])

        snapshot.reloadItems([Labelled(id: 1, label: "new")])
        snapshot.appendItems([Labelled(id: 1, label: "newer")])

        #expect(snapshot.itemIdentifiers.map(\.label) == ["old"])
        #expect(snapshot.reloadedItemIdentifiers.map(\.label) == ["old"])
    }

    @Test
    func pathsOutsideTheSnapshotHaveNoItem() {
        let snapshot = snapshot((1, ["a"]), (2, []))

        #expect(snapshot.itemIdentifier(at: ItemPath(section: 0, item: 0)) == "a")
        for (section, item) in [(0, 1), (0, -1), (1, 0), (2, 0), (-1, 0)] {
            #expect(snapshot.itemIdentifier(at: ItemPath(section: section, item: item)) == nil)
        }
        #expect(snapshot.sectionIdentifier(at: 2) == nil && snapshot.sectionIdentifier(at: -1) == nil)
    }

    @Test
    func identifiersFromElsewhereAreRefusedWithTheOneThatRepeats() {
        #expect(throws: SnapshotError<Int, String>.repeatedItem("a")) {
            try Snapshot(sections: [(1, ["a"]), (2, ["b", "a"])])
        }
        #expect(throws: SnapshotError<Int, String>.repeatedSection(1)) {
            try Snapshot(sections: [(1, ["a"]), (1, [])])
        }
        #expect(throws: Never.self) { try Snapshot(sections: [(1, ["a"]), (2, ["b"])]) }
    }

    @Test
    func allIdentifiersInOneHashBucketAreStillToldApart() {
        var snapshot = Snapshot<Int, Colliding>()
        snapshot.appendSections([0, 1])
        let items = (0..<400).map { Colliding($0) }
        snapshot.appendItems(items, toSection: 0)

        snapshot.deleteItems(items.filter { $0.number % 3 == 0 })
        snapshot.moveItem(items[1], afterItem: items[200])

        #expect(items.filter(snapshot.contains).map(\.number) == (0..<400).filter { $0 % 3 != 0 })
        #expect(snapshot.indexOfItem(items[1]) == snapshot.indexOfItem(items[200])! + 1)
    }
}
