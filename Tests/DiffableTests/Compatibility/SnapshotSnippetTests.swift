import Diffable
import DiffableCompatibility
import Testing

// Snapshots as one builds them for UIKit.

private enum Section: CaseIterable {
    case main
    case archive
}

private typealias List = NSDiffableDataSourceSnapshot<Section, String>

private func makeList() -> List {
    var snapshot = NSDiffableDataSourceSnapshot<Section, String>()
    snapshot.appendSections(Section.allCases)
    snapshot.appendItems(["tea", "milk", "rice"], toSection: .main)
    return snapshot
}

@Suite
struct SnapshotSnippetTests {
    @Test
    func aListIsBuiltSectionBySection() {
        var snapshot = NSDiffableDataSourceSnapshot<Section, String>()
        for section in Section.allCases {
            snapshot.appendSections([section])
            snapshot.appendItems(["\(section) 1", "\(section) 2"])
        }
        #expect(snapshot.numberOfItems == 4 && snapshot.itemIdentifiers(inSection: .archive).count == 2)
    }

    @Test
    func itemsAreInsertedBesideOthers() {
        var snapshot = makeList()
        if let first = snapshot.itemIdentifiers(inSection: .main).first {
            snapshot.insertItems(["salt"], beforeItem: first)
        }
        snapshot.insertItems(["flour"], afterItem: "rice")
        #expect(snapshot.itemIdentifiers == ["salt", "tea", "milk", "rice", "flour"])
    }

    @Test
    func itemsAreDeleted() {
        var snapshot = makeList()
        snapshot.deleteItems(snapshot.itemIdentifiers.filter { $0.hasPrefix("m") })
        #expect(snapshot.itemIdentifiers == ["tea", "rice"])
    }

    @Test
    func everythingIsDeletedAndBuiltAnew() {
        var snapshot = makeList()
        snapshot.deleteAllItems()
        snapshot.appendSections([.main])
        snapshot.appendItems(["bread"])
        #expect(snapshot.sectionIdentifiers == [.main] && snapshot.numberOfItems == 1)
    }

    @Test
    func itemsMoveWithinAndAcrossSections() {
        var snapshot = makeList()
        snapshot.moveItem("rice", beforeItem: "tea")
        snapshot.deleteItems(["milk"])
        snapshot.appendItems(["milk"], toSection: .archive)
        #expect(snapshot.itemIdentifiers(inSection: .main) == ["rice", "tea"])
        #expect(snapshot.sectionIdentifier(containingItem: "milk") == .archive)
    }

    @Test
    func sectionsComeGoAndMove() {
        var snapshot = makeList()
        snapshot.moveSection(.archive, beforeSection: .main)
        #expect(snapshot.indexOfSection(.archive) == 0)
        snapshot.deleteSections([.archive])
        snapshot.insertSections([.archive], afterSection: .main)
        #expect(snapshot.sectionIdentifiers == [.main, .archive])
    }

    @Test
    func itemsAreReloadedAndReconfigured() {
        var snapshot = makeList()
        snapshot.reloadItems(["tea"])
        snapshot.reconfigureItems(["milk"])
        #expect(snapshot.reloadedItemIdentifiers == ["tea"] && snapshot.reconfiguredItemIdentifiers == ["milk"])
    }

    @Test
    func sectionsAreReloaded() {
        var snapshot = makeList()
        snapshot.reloadSections([.main])
        #expect(snapshot.reloadedSectionIdentifiers == [.main])
    }

    @Test
    func aListIsAsked() {
        let snapshot = makeList()
        #expect(snapshot.indexOfItem("rice") == 2 && snapshot.indexOfItem("salt") == nil)
        #expect(snapshot.sectionIdentifiers.map(snapshot.numberOfItems(inSection:)) == [3, 0])
        #expect(snapshot.sectionIdentifiers.flatMap(snapshot.itemIdentifiers(inSection:)).count == 3)
    }

    @Test
    func anOutlineIsBuiltLevelByLevel() {
        var outline = NSDiffableDataSourceSectionSnapshot<String>()
        let parents = ["Drinks", "Food"]
        outline.append(parents)
        for parent in parents { outline.append(["\(parent) 1", "\(parent) 2"], to: parent) }
        outline.expand(["Food"])
        #expect(outline.visibleItems == ["Drinks", "Food", "Food 1", "Food 2"])
        #expect(outline.level(of: "Drinks 1") == 1 && outline.parent(of: "Drinks 1") == "Drinks")
    }
}
