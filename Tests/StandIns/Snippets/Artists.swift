import Diffable
import DiffableCompatibility

// More code as guides have it: a collection view with headers, reordering and outlines, and an adapter.

final class ArtistsViewController {
    let collectionView = UICollectionView()
    var order: [Artist] = []
    var unfolded: [Artist] = []

    lazy var dataSource = makeDataSource()

    func makeDataSource() -> UICollectionViewDiffableDataSource<Section, Artist> {
        let dataSource = UICollectionViewDiffableDataSource<Section, Artist>(collectionView: collectionView) {
            (collectionView, indexPath, artist) -> UICollectionViewCell? in
            let cell = collectionView.dequeueReusableCell(withReuseIdentifier: "artist", for: indexPath)
            cell.label.text = artist.name
            return cell
        }
        dataSource.supplementaryViewProvider = { [weak self] collectionView, kind, indexPath in
            guard kind == UICollectionView.elementKindSectionHeader else { return nil }
            let header = UILabel()
            header.text = self.map { "\($0.order.count)" }
            return header
        }
        dataSource.reorderingHandlers.canReorderItem = { artist in !artist.name.isEmpty }
        dataSource.reorderingHandlers.didReorder = { [weak self] transaction in
            self?.order = transaction.finalSnapshot.itemIdentifiers
        }
        dataSource.sectionSnapshotHandlers.willExpandItem = { [weak self] artist in self?.unfolded.append(artist) }
        dataSource.sectionSnapshotHandlers.shouldCollapseItem = { artist in artist.name != "Queen" }
        return dataSource
    }

    func show(_ artists: [Artist]) {
        var outline = NSDiffableDataSourceSectionSnapshot<Artist>()
        let root = Artist(name: "All")
        outline.append([root])
        outline.append(artists, to: root)
        outline.expand([root])
        dataSource.apply(outline, to: .all, animatingDifferences: false)
    }

    func showLater(_ artists: [Artist]) async {
        var outline = dataSource.snapshot(for: .all)
        outline.append(artists)
        await dataSource.apply(outline, to: .all)
        order = dataSource.snapshot().itemIdentifiers
    }
}

final class ListController {
    let tableView = UITableView()
    private(set) lazy var adapter = makeAdapter()

    func makeAdapter() -> DiffableTableAdapter<UITableView, Section, Artist> {
        let dataSource = BaseReorderableDiffableDataSource<UITableView, Section, Artist>.create(
            tableView: tableView, allowCrossSectionMove: true, allowReordering: true
        ) { tableView, indexPath, artist, section in
            let cell = tableView.dequeueReusableCell(withIdentifier: "artist", for: indexPath)
            cell.textLabel?.text = artist.name
            return cell
        }
        return DiffableTableAdapter(tableView: tableView, dataSource: dataSource)
    }

    func start() {
        adapter.applyInitialSnapshot(sections: [.all], itemsBySection: [.all: [Artist(name: "Cream")]])
        adapter.append(Artist(name: "Can"), to: .all)
        adapter.move(Artist(name: "Cream"), to: .all)
        adapter.reconfigure(Artist(name: "Can"))
        adapter.setHeightProviders(height: { _, _, artist, _ in artist.name.isEmpty ? 0 : 44 })
    }
}

final class PlainTable {
    let tableView = UITableView()
    var shown = 0

    lazy var dataSource = BaseReorderableDiffableDataSource<UITableView, Section, Artist>(tableView: tableView) {
        [weak self] tableView, indexPath, artist in
        self?.shown += 1
        let cell = tableView.dequeueReusableCell(withIdentifier: "artist", for: indexPath)
        cell.textLabel?.text = artist.name
        return cell
    }

    func start() {
        dataSource.allowReordering = true
        dataSource.canMoveItem = { $0.name != "Can" }
        dataSource.update {
            $0.appendSections([.all])
            $0.appendItems([Artist(name: "Can"), Artist(name: "Cream")])
        }
        try? dataSource.moveRow(at: IndexPath(row: 1, section: 0), to: IndexPath(row: 0, section: 0))
    }
}
