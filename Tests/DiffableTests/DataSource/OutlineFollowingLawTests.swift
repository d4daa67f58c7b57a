import Diffable
import TestSupport
import Testing

/// The outline of a section after random changes and drags.
@Suite
struct OutlineFollowingLawTests {
    @Test(arguments: UInt64(0)..<20, Hashes.allCases)
    func nothingIsLostAndNobodyElseChangesParentsWhateverIsDragged(seed: UInt64, hashes: Hashes) {
        staysWholeWhenDragged(seed, hashes.identifier)
    }

    private func staysWholeWhenDragged<ID: Numbered>(_ seed: UInt64, _: ID.Type) {
        var random = SplitMix64(seed: seed)
        let screen = OutlineScreen<ID>()
        let source = screen.source
        let all = Set((0...1).flatMap { source.snapshot(for: $0).items })
        for _ in 0..<60 {
            let snapshot = source.snapshot()
            guard let item = snapshot.itemIdentifiers.randomElement(using: &random) else { return }
            if Bool.random(using: &random) {
                if source.snapshot(for: snapshot.sectionIdentifier(containingItem: item)!).isExpanded(item) {
                    source.collapseItem(item)
                } else {
                    source.expandItem(item)
                }
            } else {
                let before = screen.parents
                let end = ItemPath(
                    section: Int.random(in: 0...1, using: &random), item: Int.random(in: 0..<8, using: &random))
                do {
                    try screen.table.drag(from: snapshot.path(of: item)!, to: end)
                } catch {
                    source.apply(source.snapshot())
                }
                #expect(screen.parents.filter { $0.key != item } == before.filter { $0.key != item })
            }
            screen.expectAgreement()
        }
        #expect(Set((0...1).flatMap { source.snapshot(for: $0).items }) == all)
    }

    @Test(arguments: UInt64(0)..<20, Hashes.allCases)
    func anOutlineShowsWhatItsSectionShowsWhateverIsApplied(seed: UInt64, hashes: Hashes) {
        showsWhatIsApplied(seed, hashes.identifier)
    }

    private func showsWhatIsApplied<ID: Numbered>(_ seed: UInt64, _: ID.Type) {
        var random = SplitMix64(seed: seed)
        let screen = OutlineScreen<ID>()
        let source = screen.source
        for _ in 0..<60 {
            var snapshot = source.snapshot()
            let items = snapshot.itemIdentifiers
            let absent = ([6, 8] + Array(20..<32)).map { ID($0) }.filter { !snapshot.contains($0) }
            let some = (items + absent).shuffled(using: &random).prefix(3)
            let section = Int.random(in: 0...1, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: snapshot.appendItems(Array(some), toSection: section)
            case 1: snapshot.deleteItems(Array(some.prefix(1)))
            case 2:
                if let anchor = items.randomElement(using: &random), !some.contains(anchor) {
                    snapshot.insertItems(Array(some), beforeItem: anchor)
                }
            case 3: items.randomElement(using: &random).map { source.expandItem($0) }
            default: items.randomElement(using: &random).map { source.collapseItem($0) }
            }
            source.apply(snapshot)
            screen.expectAgreement()
        }
    }
}

/// Section 0 shows an unfolded item, two folded ones and a bare one; section 1 is a plain list.
private struct OutlineScreen<ID: Numbered> {
    let table = RecordingTable<Int, ID>()
    let source: BaseReorderableDiffableDataSource<RecordingTable<Int, ID>, Int, ID>

    init() {
        source = .create(view: table, allowCrossSectionMove: true, allowReordering: true) { _, _, item, _ in
            "\(item.number)"
        }
        table.attach(source)
        var outline = SectionSnapshot<ID>()
        outline.append([0, 1, 2].map { ID($0) })
        outline.append([3, 4, 5].map { ID($0) }, to: ID(0))
        outline.append([6, 7].map { ID($0) }, to: ID(4))
        outline.append([8, 9].map { ID($0) }, to: ID(1))
        outline.expand([ID(0)])
        source.apply(outline, to: 0)
        source.update { snapshot in
            snapshot.appendSections([1])
            snapshot.appendItems([10, 11].map { ID($0) }, toSection: 1)
        }
    }

    var parents: [ID: ID?] {
        var parents: [ID: ID?] = [:]
        for outline in (0...1).map(source.snapshot(for:)) {
            for item in outline.items { parents[item] = .some(outline.parent(of: item)) }
        }
        return parents
    }

    func expectAgreement() {
        let snapshot = source.snapshot()
        func texts(_ items: [ID]) -> [String] { items.map { "\($0.number)" } }
        #expect(table.rows == snapshot.sectionIdentifiers.map { texts(snapshot.itemIdentifiers(inSection: $0)) })
        #expect(table.rows == snapshot.sectionIdentifiers.map { texts(source.snapshot(for: $0).visibleItems) })
        #expect(table.tornReads == 0)
    }
}
