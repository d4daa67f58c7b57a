import RoomStore

@testable import PostgresStore

/// The news of a store to its server.
final class Heard: Sendable {
    private let news: AsyncStream<News>

    init(_ store: PostgresStore) {
        let (stream, heard) = AsyncStream<News>.makeStream()
        news = stream
        store.listen { heard.yield($0) }
    }

    func wait(for condition: (News) -> Bool) async {
        for await news in news where condition(news) { return }
    }
}
