import Diffable
import Testing

/// Operations for identifiers that may be there already, or not any more.
@Suite
struct LenientTests {
    private var list: Snapshot<Int, String> {
        var list = Snapshot<Int, String>()
        list.appendSections([0, 1])
        list.appendItems(["a", "b"], toSection: 0)
        return list
    }

    @Test
    func onlyNewItemsAreAppendedAndEachOnce() {
        var list = list
        let appended = list.appendNewItems(["c", "a", "d", "c"], toSection: 1)

        #expect(appended == ["c", "d"])
        #expect(list.itemIdentifiers(inSection: 0) == ["a", "b"] && list.itemIdentifiers(inSection: 1) == ["c", "d"])
        #expect(list.appendNewItems(["a"]).isEmpty)
    }

    @Test
    func itemsThatAreGoneAreNotMarked() {
        var list = list
        list.reconfigureItemsIfPresent(["b", "gone"])
        list.reloadItemsIfPresent(["gone", "a"])

        #expect(list.reconfiguredItemIdentifiers == ["b"] && list.reloadedItemIdentifiers == ["a"])
    }

    @Test
    func anOutlineThatIsMadeAnewIsUnfoldedAsBefore() {
        var old = SectionSnapshot<String>()
        old.append(["fruit", "roots", "gone"])
        old.append(["apple"], to: "fruit")
        old.expand(["fruit", "gone"])
        var new = SectionSnapshot<String>()
        new.append(["roots", "fruit", "nuts"])
        new.append(["pear"], to: "fruit")
        new.expand(["roots", "nuts"])

        new.keepExpansion(of: old)

        #expect(new.expandedItems == ["fruit", "nuts"] && new.visibleItems == ["roots", "fruit", "pear", "nuts"])
    }
}
