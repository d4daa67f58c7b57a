import Diffable
import DiffableCompatibility

// Code as guides to diffable data sources have it, with plain identifiers and plain classes. It says nothing about
// actors.

enum Section: CaseIterable {
    case favorites
    case all
}

struct Song: Hashable {
    let id: Int
    var title: String
    var isFavorite = false

    static func == (lhs: Song, rhs: Song) -> Bool { lhs.id == rhs.id }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

struct Artist: Hashable {
    let name: String
}

final class SongsDataSource: UITableViewDiffableDataSource<Section, Song> {
    var isEditable = true
    private var moves = 0

    override func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool {
        isEditable && indexPath.section == 1
    }

    override func tableView(
        _ tableView: UITableView, moveRowAt sourceIndexPath: IndexPath, to destinationIndexPath: IndexPath
    ) {
        super.tableView(tableView, moveRowAt: sourceIndexPath, to: destinationIndexPath)
        moves += 1
    }

    func title(at indexPath: IndexPath) -> String? { itemIdentifier(for: indexPath)?.title }
}

final class PrefixedDataSource: UITableViewDiffableDataSource<Section, Song> {
    private let prefix: String

    init(tableView: UITableView, prefix: String) {
        self.prefix = prefix
        super.init(tableView: tableView) { tableView, indexPath, song in
            let cell = tableView.dequeueReusableCell(withIdentifier: "song", for: indexPath)
            cell.textLabel?.text = prefix + song.title
            return cell
        }
    }

    func show(_ songs: [Song]) {
        var snapshot = NSDiffableDataSourceSnapshot<Section, Song>()
        snapshot.appendSections([.all])
        snapshot.appendItems(songs, toSection: .all)
        apply(snapshot, animatingDifferences: !prefix.isEmpty)
    }
}

final class SongsViewController {
    let tableView = UITableView()
    var songs = [Song(id: 1, title: "Help!"), Song(id: 2, title: "Girl"), Song(id: 3, title: "Rain")]
    var scrolls = 0

    lazy var dataSource = SongsDataSource(tableView: tableView) { [weak self] tableView, indexPath, song in
        let cell = tableView.dequeueReusableCell(withIdentifier: "song", for: indexPath)
        cell.textLabel?.text = self?.songs.first { $0.id == song.id }?.title
        return cell
    }

    func viewDidLoad() {
        dataSource.defaultRowAnimation = .fade
        applySnapshot(animatingDifferences: false)
    }

    func applySnapshot(animatingDifferences: Bool = true) {
        var snapshot = NSDiffableDataSourceSnapshot<Section, Song>()
        snapshot.appendSections(Section.allCases)
        snapshot.appendItems(songs.filter { $0.isFavorite }, toSection: .favorites)
        snapshot.appendItems(songs.filter { !$0.isFavorite }, toSection: .all)
        dataSource.apply(snapshot, animatingDifferences: animatingDifferences) { [weak self] in
            self?.scrolls += 1
        }
    }

    func toggleFavorite(at indexPath: IndexPath) {
        guard let song = dataSource.itemIdentifier(for: indexPath),
            let index = songs.firstIndex(where: { $0.id == song.id })
        else { return }
        songs[index].isFavorite.toggle()
        var snapshot = dataSource.snapshot()
        snapshot.appendItems([song], toSection: songs[index].isFavorite ? .favorites : .all)
        snapshot.reconfigureItems([song])
        dataSource.apply(snapshot)
    }

    func delete(_ song: Song) {
        var snapshot = dataSource.snapshot()
        snapshot.deleteItems([song])
        dataSource.apply(snapshot)
    }

    func search(_ text: String) {
        var snapshot = NSDiffableDataSourceSnapshot<Section, Song>()
        snapshot.appendSections([.all])
        snapshot.appendItems(songs.filter { text.isEmpty || $0.title.contains(text) })
        dataSource.apply(snapshot, animatingDifferences: true)
    }

    func reload() async {
        var snapshot = dataSource.snapshot()
        snapshot.reloadSections([.all])
        await dataSource.apply(snapshot, animatingDifferences: true)
        await dataSource.applySnapshotUsingReloadData(snapshot)
        scrolls += 1
    }
}
