import Diffable
import DiffableCompatibility
import Testing

// Collection views as one uses them with UIKit: registrations, headers and footers, reordering, outlines.

/// A data source that registers what it shows.
private final class NumbersDataSource: UICollectionViewDiffableDataSource<String, Int> {
    let unit: String

    init(collectionView: UICollectionView, unit: String) {
        self.unit = unit
        super.init(collectionView: collectionView) { collectionView, indexPath, number in
            let cell = UICollectionViewCell()
            cell.textLabel?.text = "\(number) \(unit)"
            return cell
        }
    }
}

@Suite
struct CollectionSnippetTests {
    private let collectionView = UICollectionView()
    private let dataSource: UICollectionViewDiffableDataSource<String, Int>

    init() {
        let registration = UICollectionView.CellRegistration<UICollectionViewCell, Int> { cell, indexPath, number in
            cell.textLabel?.text = "\(number) at \(indexPath.item)"
        }
        dataSource = UICollectionViewDiffableDataSource<String, Int>(collectionView: collectionView) {
            collectionView, indexPath, number in
            collectionView.dequeueConfiguredReusableCell(using: registration, for: indexPath, item: number)
        }
        var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
        snapshot.appendSections(["odd", "even"])
        snapshot.appendItems([1, 3, 5], toSection: "odd")
        snapshot.appendItems([2, 4], toSection: "even")
        dataSource.apply(snapshot)
    }

    @Test
    func cellsComeFromARegistration() {
        #expect(dataSource.texts == [["1 at 0", "3 at 1", "5 at 2"], ["2 at 0", "4 at 1"]])
    }

    @Test
    func aSubclassHasAnInitialiserOfItsOwn() {
        let dataSource = NumbersDataSource(collectionView: collectionView, unit: "kg")
        var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
        snapshot.appendSections(["odd"])
        snapshot.appendItems([1, 3])
        dataSource.apply(snapshot)
        #expect(dataSource.texts == [["1 kg", "3 kg"]] && dataSource.unit == "kg")
    }

    @Test
    func headersAndFootersComeByTheirKind() {
        dataSource.supplementaryViewProvider = { [weak dataSource] collectionView, kind, indexPath in
            let view = collectionView.dequeueReusableSupplementaryView(
                ofKind: kind, withReuseIdentifier: "title", for: indexPath)
            let section = dataSource?.snapshot().sectionIdentifiers[indexPath.section] ?? ""
            switch kind {
            case UICollectionView.elementKindSectionHeader:
                view.textLabel?.text = section
            case UICollectionView.elementKindSectionFooter:
                view.textLabel?.text = "\(dataSource?.snapshot().numberOfItems(inSection: section) ?? 0) items"
            default:
                return nil
            }
            return view
        }
        #expect(dataSource.header(at: 0)?.textLabel?.text == "odd")
        #expect(dataSource.footer(at: 1)?.textLabel?.text == "2 items")
        #expect(
            dataSource.supplementary(SupplementaryKind(rawValue: "badge"), at: IndexPath(item: 0, section: 0)) == nil)
        #expect(dataSource.supplementaryViewProvider != nil)
    }

    @Test
    func aNewOrderIsWrittenToTheStore() throws {
        var store = dataSource.snapshot().itemIdentifiers
        dataSource.reorderingHandlers.canReorderItem = { $0 != 5 }
        dataSource.reorderingHandlers.didReorder = { transaction in
            guard let updated = store.applying(transaction.difference) else { return }
            store = updated
        }
        try dataSource.moveRow(at: IndexPath(item: 0, section: 0), to: IndexPath(item: 1, section: 1))
        #expect(store == [3, 5, 2, 1, 4] && dataSource.snapshot().itemIdentifiers == store)
        #expect(!dataSource.canMoveRow(at: IndexPath(item: 1, section: 0)))
        #expect(dataSource.reorderingHandlers.willReorder == nil)
    }

    @Test
    func anOutlineIsAppliedToItsSection() {
        var sectionSnapshot = NSDiffableDataSourceSectionSnapshot<Int>()
        sectionSnapshot.append([10, 20])
        sectionSnapshot.append([11, 12], to: 10)
        sectionSnapshot.expand([10])
        dataSource.apply(sectionSnapshot, to: "tens", animatingDifferences: false)
        #expect(dataSource.snapshot().itemIdentifiers(inSection: "tens") == [10, 11, 12, 20])
        #expect(dataSource.snapshot(for: "tens").isExpanded(10))
    }

    @Test
    func childrenAreLoadedWhenTheirParentUnfolds() {
        var sectionSnapshot = NSDiffableDataSourceSectionSnapshot<Int>()
        sectionSnapshot.append([10])
        dataSource.apply(sectionSnapshot, to: "tens")
        dataSource.sectionSnapshotHandlers.snapshotForExpandingParent = { parent, current in
            var children = current
            children.append([parent + 1, parent + 2])
            return children
        }
        dataSource.expandItem(10)
        #expect(dataSource.snapshot().itemIdentifiers(inSection: "tens") == [10, 11, 12])
    }
}
