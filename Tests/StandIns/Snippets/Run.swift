import Diffable

/// Runs the snippets, and prints what they show.
@main
struct Run {
    static func main() async {
        let songs = SongsViewController()
        songs.viewDidLoad()
        songs.toggleFavorite(at: IndexPath(row: 1, section: 1))
        songs.delete(songs.songs[0])
        await songs.reload()
        let titles = (0..<2).map { section in
            (0..<songs.dataSource.numberOfItems(inSection: section)).map {
                songs.dataSource.cell(at: IndexPath(row: $0, section: section)).textLabel?.text ?? "-"
            }
        }
        let artists = ArtistsViewController()
        artists.show([Artist(name: "Queen"), Artist(name: "Can")])
        await artists.showLater([Artist(name: "Cream")])
        let list = ListController()
        list.start()
        let plain = PlainTable()
        plain.start()
        let top = plain.dataSource.cell(at: IndexPath(row: 0, section: 0)).textLabel?.text ?? "-"
        let canMove = songs.dataSource.canMoveRow(at: IndexPath(row: 0, section: 1))
        let prefixed = PrefixedDataSource(tableView: songs.tableView, prefix: "> ")
        prefixed.show(songs.songs)
        let first = prefixed.cell(at: IndexPath(row: 0, section: 0)).textLabel?.text ?? "-"
        print(titles, artists.order.map(\.name), list.adapter.items(in: .all).map(\.name))
        print(canMove, first, songs.scrolls, top)
        await runPlaylist()
    }

    private static func runPlaylist() async {
        let playlist = PlaylistViewController()
        playlist.configure()
        playlist.fill()
        let (first, last) = (IndexPath(row: 0, section: 1), IndexPath(row: 2, section: 1))
        playlist.dataSource.tableView(playlist.tableView, moveRowAt: first, to: last)
        let delete = playlist.swipe(at: first)
        delete? { print("deleted:", $0) }
        playlist.rename(at: first, to: "Girl")
        await playlist.showLater()
        playlist.configureByReturnType()
        let locking = playlist.lock()
        let factory = OrderedDataSource<Section, Song>.make(tableView: playlist.tableView) { _, _, song, section in
            let cell = StarCell()
            if section == .all { cell.configure(with: song) }
            return cell
        }
        await factory.apply(playlist.dataSource.snapshot(), animatingDifferences: false)
        let starred = factory.cell(at: first).textLabel?.text ?? "-"
        playlist.configureAdapter()
        playlist.star(playlist.songs[0])
        playlist.add(Song(id: 9, title: "Drive My Car"))
        playlist.useOwnHeights()
        let star = IndexPath(row: 0, section: 0)
        let heights = [
            playlist.tableView(playlist.tableView, heightForRowAt: star),
            playlist.tableView(playlist.tableView, estimatedHeightForRowAt: star),
        ]
        playlist.useAutomaticHeights()
        let automatic = playlist.tableView(playlist.tableView, heightForRowAt: star)
        print(playlist.songs.map(\.title), starred, playlist.adapter.items(in: .all).map(\.title), locking)
        print(heights, automatic)
    }
}
