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
    }
}
