import ChatRoom
import ChatWire
import RoomStore
import Testing

import struct TestSupport.SplitMix64
import class TestSupport.TemporaryFolder

/// In every store, the pages of a search, one before the other, are the messages that match: those of a plain look at each.
struct SearchLawTests {
    private let folder = TemporaryFolder()
    static let rooms = ["attic", "kitchen", "hall"].map { RoomName($0)! }
    static let begin: Milliseconds = 1_700_000_000_000
    private static let people = ["ann", "bob"].map { UserName($0)! }
    private static let words = [
        "deploy", "Deployed", "roll", "back", "CAFÉ", "cafe", "中文", "日本", "ไทย", "https://a.example", "🎉", "straße",
    ]
    static let queries = [
        "deploy", "deploy*", "\"roll back\"", "roll back", "café", "中文", "文日", "has:link", "from:bob",
        "from:ann deploy*",
        "strasse", "in:hall roll", "in:attic in:hall back", "roll before:1700000000040", "roll after:1700000000040",
        "none", "ไท",
        "de* ro* ba*",
    ]

    /// A message that is there.
    struct Said {
        let room: RoomName
        let row: Message
    }

    private func text(using random: inout SplitMix64) -> String {
        (0..<Int.random(in: 1...5, using: &random)).map { _ in Self.words.randomElement(using: &random)! }
            .joined(separator: [" ", "", ", "].randomElement(using: &random)!)
    }

    /// Makes a random history: sends, edits, deletions, and other operations between them.
    func fill(_ store: some RoomStore, using random: inout SplitMix64, from first: Int = 0) throws {
        var ids: [(RoomName, MessageID, UserName)] = []
        for number in first + 1...first + Int.random(in: 1...60, using: &random) {
            let (room, author) = (Self.rooms.randomElement(using: &random)!, Self.people.randomElement(using: &random)!)
            var action = RoomAction.send(MessageContent(text(using: &random)))
            var (place, by) = (room, author)
            let command = UniqueID(high: 7, low: UInt64(number))
            if let old = ids.randomElement(using: &random), Int.random(in: 0..<3, using: &random) == 0 {
                (place, by) = (old.0, old.2)
                action =
                    [.delete(old.1), .edit(old.1, ContentEdit(text(using: &random))), .react(old.1, emoji: "👍", .on)]
                    .randomElement(using: &random)!
            } else {
                ids.append((room, command, author))
            }
            let operation = Operation(
                command: command, author: by, role: .own, time: Self.begin + Milliseconds(number / 3 * 5),
                action: action)
            _ = try store.commit([RoomOperation(room: place, operation: operation)])
        }
    }

    /// All messages that are there and match, newest first.
    func matching(
        _ query: SearchQuery, in rooms: [RoomName], of store: some RoomStore
    ) throws -> [SearchResult] {
        try rooms.flatMap { room in
            try store.read(room, tail: 1_000, since: nil, atMost: 0).tail.compactMap { row in
                query.matches(in: row).map { SearchResult(room: room, row: row, matches: $0) }
            }
        }.sorted { $0.place.isNewer(than: $1.place) }
    }

    func pages(
        _ query: SearchQuery, in rooms: [RoomName], limit: Int, of store: some RoomStore
    ) throws -> [SearchResult] {
        var (found, place): ([SearchResult], SearchPlace?) = ([], nil)
        repeat {
            let page = try store.search(query, in: rooms, before: place, limit: limit).page
            #expect(page.results.count <= limit)
            found += page.results
            if let place, let next = page.before { #expect(place.isNewer(than: next)) }
            place = page.before
        } while place != nil
        return found
    }

    @Test(arguments: StoreUnderTest.histories(40))
    func pagesAreWhatAPlainLookFinds(kind: StoreUnderTest, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try kind.make(in: folder)
        try fill(store, using: &random)

        for text in Self.queries {
            let query = try SearchQuery(text)
            let rooms = query.rooms.isEmpty ? Self.rooms : query.rooms
            let limit = Int.random(in: 1...7, using: &random)

            let found = try pages(query, in: rooms, limit: limit, of: store)

            #expect(found == (try matching(query, in: rooms, of: store)), "\(text)")
        }
    }

    @Test(arguments: StoreUnderTest.allCases)
    func trimmedMessagesAreNotFound(kind: StoreUnderTest) throws {
        var random = SplitMix64(seed: 7)
        let store = try kind.make(in: folder)
        try fill(store, using: &random)
        let query = try SearchQuery("from:ann from:bob")
        _ = try pages(query, in: Self.rooms, limit: 9, of: store)

        try store.trim(Retention(.init(messages: 2)), at: Self.begin + 9_000)

        let found = try pages(query, in: Self.rooms, limit: 2, of: store)
        #expect(found == (try matching(query, in: Self.rooms, of: store)) && found.count <= 2 * Self.rooms.count)
    }
}
