import ChatRoom
import ChatWire
import Locking
import RoomStore
import TestSupport
import Testing

@testable import PostgresStore

/// A standby is promoted while the primary lives: it takes connections and answers, and commits nothing any more.
extension OneHistoryTests {
    @Test func besideALivingPrimaryServersHearEachOtherOnTheNewOne() async throws {
        let (first, second) = (try open([primary, standby]), try open([primary, standby]))
        try replicateSynchronously()
        _ = try first.commit([.send(1)])
        let read = Guarded<Revision>(1)
        let tell = { @Sendable [weak first] in
            let ann = Presence(name: Someone.ann, isHere: true, isTyping: false, read: read.withLock { $0 })
            first?.announce([ann], in: lobby)
        }
        first.listen { if case .presenceRequested = $0 { tell() } }
        let news = Heard(second)

        try standby.promote()
        #expect(send(2, with: first) == 2)
        read.withLock { $0 = 2 }
        tell()

        await news.wait { item in
            if case .present(_, lobby, let people) = item { people.contains { $0.read == 2 } } else { false }
        }
    }

    @Test func besideALivingPrimaryNothingIsReadFromIt() throws {
        let store = try open([primary, standby])
        try replicateSynchronously()
        _ = try store.commit([.send(1)])
        let deliveries = try #require(try store.deliveries(part: 0))
        #expect(try deliveries.state(of: lobby)?.revision == 1)
        #expect(try store.operations(lobby, since: 0, limit: 9).count == 1)
        let news = Heard(store)

        try standby.promote()
        #expect(send(2, with: store) == 2)

        #expect(throws: RoomStoreError.self) { try deliveries.state(of: lobby) }
        #expect(try store.operations(lobby, since: 0, limit: 9).count == 2)
        withExtendedLifetime(news) {}
    }

    @Test func besideALivingPrimaryAnOperatorsEpochBeginsOnTheNewOne() throws {
        let before = try open([primary]).epoch
        while (try? standby.query("SELECT epoch FROM diffroom.store")) != "\(before)\n" {}
        try standby.promote()

        let (epoch, host) = try PostgresStore.beginEpoch(
            at: PostgresAddress("postgres:///postgres?user=diffroom&host=\(primary.folder),\(standby.folder)"))

        #expect(host == standby.folder)
        #expect(try open([primary, standby]).epoch == epoch && epoch != before)
    }
}
