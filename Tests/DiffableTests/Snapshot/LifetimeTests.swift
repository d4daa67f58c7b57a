import Diffable
import Testing

/// An identifier whose life can be watched.
private final class Watched: Hashable, Sendable {
    static func == (a: Watched, b: Watched) -> Bool { a === b }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Lists and outlines release the identifiers that they no longer have.
@Suite
struct LifetimeTests {
    @Test
    func anOutlineReleasesADeletedItem() {
        var outline = SectionSnapshot<Watched>()
        let kept = Watched()
        outline.append([kept])
        weak var deleted: Watched?
        do {
            let item = Watched()
            deleted = item
            outline.append([item], to: kept)
            outline.delete([item])
        }
        #expect(deleted == nil && outline.items == [kept])
    }

    @Test
    func aListReleasesADeletedItemAndADeletedSection() {
        var list = Snapshot<Watched, Watched>()
        let kept = Watched()
        list.appendSections([kept])
        weak var deletedSection: Watched?
        weak var deletedItem: Watched?
        do {
            let (section, item) = (Watched(), Watched())
            (deletedSection, deletedItem) = (section, item)
            list.appendSections([section])
            list.appendItems([item], toSection: section)
            list.reloadItems([item])
            list.reloadSections([section])
            list.deleteSections([section])
        }
        #expect(deletedSection == nil && deletedItem == nil && list.sectionIdentifiers == [kept])
    }

    @Test
    func aDataSourceReleasesAnItemThatIsNoLongerShown() {
        let table = RecordingTable<Int, Watched>()
        let source = DiffableDataSource<RecordingTable<Int, Watched>, Int, Watched>(view: table) { _, _, _, _ in "" }
        table.attach(source)
        weak var deleted: Watched?
        do {
            let items = [Watched(), Watched()]
            deleted = items[0]
            source.update {
                $0.appendSections([0])
                $0.appendItems(items)
            }
            source.update { $0.deleteItems([items[0]]) }
        }
        #expect(deleted == nil && source.numberOfItems(inSection: 0) == 1)
    }
}
