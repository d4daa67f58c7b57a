import ChatRoom
import ChatWire
import Foundation
import RoomStore
import TestSupport
import Testing

@testable import SQLiteStore

/// The search index of the SQLite store finds what a plain look at each message finds, and holds no text.
struct SearchIndexTests {
    private let folder = TemporaryFolder()
    private let law = SearchLawTests()

    /// A store whose searches wait for the index.
    private func store(_ name: String = "rooms.db") throws -> SQLiteStore {
        let store = try SQLiteStore(path: folder.file(name))
        try store.openSearchIndex()
        store.waitForSearchIndex()
        return store
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func pagesAreWhatAPlainLookFinds(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try store()
        for _ in 1...2 {
            try law.fill(store, using: &random)
            for text in SearchLawTests.queries {
                let query = try SearchQuery(text)
                let rooms = query.rooms.isEmpty ? SearchLawTests.rooms : query.rooms

                let found = try law.pages(query, in: rooms, limit: .random(in: 1...7, using: &random), of: store)

                #expect(found == (try law.matching(query, in: rooms, of: store)), "\(text)")
            }
        }
        #expect(store.searchesByIndex > 0)
    }

    @Test func anIndexThatFellBehindOrIsLostIsMadeAgain() throws {
        var random = SplitMix64(seed: 1)
        let query = try SearchQuery("roll")
        func found() throws -> [SearchResult] {
            try law.pages(query, in: SearchLawTests.rooms, limit: 3, of: try store())
        }
        func fillWithoutIndex(from first: Int) throws -> [SearchResult] {
            let store = try SQLiteStore(path: folder.file("rooms.db"))
            try law.fill(store, using: &random, from: first)
            return try law.matching(query, in: SearchLawTests.rooms, of: store)
        }
        #expect(try fillWithoutIndex(from: 0) == (try found()))

        let wanted = try fillWithoutIndex(from: 100)

        #expect(try found() == wanted, "it fell behind")
        for end in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: folder.file("rooms.db-search\(end)"))
        }
        #expect(try found() == wanted, "it was lost")
        try Data("no database".utf8).write(to: URL(filePath: folder.file("rooms.db-search")))
        #expect(try found() == wanted, "it was damaged")
    }

    @Test func theFileHasNoText() throws {
        let store = try store()
        let send = Operation(
            command: .random(), author: UserName("ann")!, role: .own, time: 0, action: .send("xylophone quagmire"))
        _ = try store.commit([RoomOperation(room: SearchLawTests.rooms[0], operation: send)])
        #expect(try law.pages(SearchQuery("xylophone"), in: SearchLawTests.rooms, limit: 3, of: store).count == 1)
        try store.close()

        let bytes = try Data(contentsOf: URL(filePath: folder.file("rooms.db-search")))

        #expect(bytes.range(of: Data("xylop".utf8)) == nil && bytes.range(of: Data("quag".utf8)) == nil)
    }
}
