/// The identity of a row of the playlist. The identifier never holds the row's content: titles and stars are looked up
/// in the ``Library``.
enum PlaylistRow: Hashable, Sendable {
    case song(Int)
    case podcast(Int)
    case album(Int)
    case advert
}

enum PlaylistSection: String, Hashable, Sendable {
    case favourites
    case upNext = "up next"
}

/// The contents behind the rows.
struct Library {
    var titles: [PlaylistRow: String] = [
        .song(1): "Blue in Green", .song(2): "So What", .song(3): "Naima",
        .podcast(1): "Jazz Weekly #12", .album(1): "Giant Steps (7 songs)",
    ]
    var starred: Set<PlaylistRow> = []

    /// Four kinds of row, four kinds of cell.
    func cell(_ row: PlaylistRow) -> String {
        let title = titles[row] ?? ""
        let star = starred.contains(row) ? " ★" : ""
        return switch row {
        case .song: "♪ \(title)\(star)"
        case .podcast: "🎙 \(title)\(star)"
        case .album: "[ \(title)\(star) ]"
        case .advert: "--- advert ---"
        }
    }
}
