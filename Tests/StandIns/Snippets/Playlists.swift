import Diffable
import DiffableCompatibility

// Code as guides have it around a table: a generic subclass that writes the new order itself, a factory, cells of several
// kinds, and heights.

class OrderedDataSource<SectionID: Hashable, ItemID: Hashable>: UITableViewDiffableDataSource<SectionID, ItemID> {
    var staysInSection = true

    static func make(
        tableView: UITableView, cellBuilder: @escaping (UITableView, IndexPath, ItemID, SectionID?) -> UITableViewCell
    ) -> OrderedDataSource<SectionID, ItemID> {
        var source: OrderedDataSource<SectionID, ItemID>!
        source = OrderedDataSource<SectionID, ItemID>(tableView: tableView) { [weak tableView] _, indexPath, item in
            guard let tableView else { return nil }
            return cellBuilder(tableView, indexPath, item, source.sectionIdentifier(for: indexPath.section))
        }
        return source
    }

    override func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool { true }

    override func tableView(
        _ tableView: UITableView, moveRowAt sourceIndexPath: IndexPath, to destinationIndexPath: IndexPath
    ) {
        if staysInSection, sourceIndexPath.section != destinationIndexPath.section {
            return apply(snapshot(), animatingDifferences: false)
        }
        guard let moved = itemIdentifier(for: sourceIndexPath), let other = itemIdentifier(for: destinationIndexPath),
            moved != other
        else { return }
        var snapshot = snapshot()
        if let from = snapshot.indexOfItem(moved), let to = snapshot.indexOfItem(other), from < to {
            snapshot.moveItem(moved, afterItem: other)
        } else {
            snapshot.moveItem(moved, beforeItem: other)
        }
        apply(snapshot, animatingDifferences: true)
    }
}

final class LockableDataSource: UITableViewDiffableDataSource<Section, Song> {
    var isLocked = false

    override func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool {
        !isLocked && super.tableView(tableView, canMoveRowAt: indexPath)
    }
}

final class StarCell: UITableViewCell {
    func configure(with song: Song) { textLabel?.text = "★ \(song.title)" }
}

final class PlaylistViewController {
    let tableView = UITableView()
    var dataSource: OrderedDataSource<Section, Song>!
    var reorderable: BaseReorderableDiffableDataSource<UITableView, Section, Song>!
    var plain: UITableViewDiffableDataSource<Section, Song>!
    var adapter: DiffableTableAdapter<UITableView, Section, Song>!
    var songs = [Song(id: 1, title: "Taxman"), Song(id: 2, title: "Michelle"), Song(id: 3, title: "Wait")]

    func configure() {
        dataSource = OrderedDataSource(
            tableView: tableView,
            cellProvider: { [weak self] tableView, indexPath, song in
                guard let self, let section = self.dataSource.sectionIdentifier(for: indexPath.section) else {
                    return UITableViewCell()
                }
                switch section {
                case .favorites:
                    let cell = tableView.dequeueReusableCell(withIdentifier: "star", for: indexPath) as! StarCell
                    cell.configure(with: song)
                    return cell
                case .all:
                    let cell = tableView.dequeueReusableCell(withIdentifier: "song", for: indexPath)
                    cell.textLabel?.text = song.title
                    return cell
                }
            })
    }

    func configureByReturnType() {
        plain = UITableViewDiffableDataSource(tableView: tableView) { tableView, indexPath, song -> UITableViewCell? in
            let cell = tableView.dequeueReusableCell(withIdentifier: "song", for: indexPath)
            cell.textLabel?.text = song.title
            return cell
        }
        plain = .init(tableView: tableView) { _, _, _ in nil }
        plain = UITableViewDiffableDataSource<Section, Song>(tableView: tableView) {
            (tableView: UITableView, indexPath: IndexPath, song: Song) -> UITableViewCell? in
            tableView.dequeueReusableCell(withIdentifier: "song", for: indexPath)
        }
    }

    func configureAdapter() {
        reorderable = BaseReorderableDiffableDataSource.create(
            tableView: tableView, allowCrossSectionMove: false, allowReordering: true, enableLogging: false
        ) { [weak self] tableView, indexPath, song, section in
            guard self != nil else { return UITableViewCell() }
            let cell = tableView.dequeueReusableCell(withIdentifier: "song", for: indexPath)
            switch section {
            case .favorites: cell.textLabel?.text = "★ \(song.title)"
            default: cell.textLabel?.text = song.title
            }
            return cell
        }
        adapter = DiffableTableAdapter(tableView: tableView, dataSource: reorderable, enableLogging: false)
        adapter.applyInitialSnapshot(
            sections: [.favorites, .all], itemsBySection: [.all: songs, .favorites: []], animatingDifferences: false)
    }

    func lock() -> [Bool] {
        let lockable = LockableDataSource(tableView: tableView) { tableView, indexPath, song in
            tableView.dequeueReusableCell(withIdentifier: "song", for: indexPath)
        }
        lockable.apply(dataSource.snapshot(), animatingDifferences: false)
        return [false, true].map { isLocked in
            lockable.isLocked = isLocked
            return lockable.canMoveRow(at: IndexPath(row: 0, section: 1))
        }
    }

    func fill() {
        var snapshot = NSDiffableDataSourceSnapshot<Section, Song>()
        snapshot.appendSections([.favorites, .all])
        snapshot.appendItems(songs, toSection: .all)
        dataSource.apply(snapshot, animatingDifferences: false)
    }

    func swipe(at indexPath: IndexPath) -> (((Bool) -> Void) -> Void)? {
        guard let song = dataSource.itemIdentifier(for: indexPath) else { return nil }
        return { [weak self] completion in
            guard let self else { return completion(false) }
            var snapshot = self.dataSource.snapshot()
            snapshot.deleteItems([song])
            self.dataSource.apply(snapshot, animatingDifferences: true)
            completion(true)
        }
    }

    func rename(at indexPath: IndexPath, to title: String) {
        guard let song = dataSource.itemIdentifier(for: indexPath) else { return }
        var renamed = song
        renamed.title = title
        var snapshot = dataSource.snapshot()
        snapshot.deleteItems([song])
        snapshot.appendItems([renamed], toSection: .all)
        dataSource.apply(snapshot, animatingDifferences: true)
    }

    func star(_ song: Song) {
        adapter.move(song, to: .favorites)
        adapter.reload(song)
        adapter.reload([song], animatingDifferences: false)
        adapter.reconfigure([song])
    }

    func add(_ song: Song) { adapter.append(song, to: .all, animatingDifferences: true) }

    func useOwnHeights() {
        tableView.rowHeight = 60
        adapter.setHeightProviders(
            height: { tableView, indexPath, song, section in
                guard let section = section else { return 60 }
                switch section {
                case .favorites: return song.title.isEmpty ? 0 : 72
                case .all: return 60
                }
            }, estimated: { _, _, _, _ in 66 })
    }

    func useAutomaticHeights() {
        adapter.enableAutomaticDimension(estimatedRowHeight: 80)
        adapter.setHeightProviders(height: nil, estimated: nil)
    }

    func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> Double {
        adapter.heightForRow(at: indexPath) ?? UITableView.automaticDimension
    }

    func tableView(_ tableView: UITableView, estimatedHeightForRowAt indexPath: IndexPath) -> Double {
        adapter.estimatedHeightForRow(at: indexPath) ?? tableView.estimatedRowHeight
    }

    func showLater() async {
        await dataSource.apply(dataSource.snapshot(), animatingDifferences: true)
        songs = dataSource.snapshot().itemIdentifiers(inSection: .all)
    }
}
