import ChatRoom
import ChatServer
import ChatWire
import PostgresStore
import Replicas
import RoomStore
import TestSupport
import Testing

/// `me/drafts` over real sockets.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct DraftTests {
    private let folder = TemporaryFolder()
    private static let den = RoomName("den")!

    private func server(on store: (any RoomStore)? = nil) throws -> ServerUnderTest {
        try ServerUnderTest(store: store ?? StoreOfTheRun.current.open(in: folder))
    }

    @Test func whatIsWrittenOnOneDeviceIsOnTheOtherOnes() async throws {
        let server = try server()
        let (one, other) = (try await DraftsWatcher(server.join(as: "ann")), try await server.join(as: "ann"))
        let stranger = try await DraftsWatcher(server.join(as: "bob"))

        #expect(try await other.answer(to: .draft(room, "hel")).errorCode == nil)
        try await one.until { $0.texts == ["lobby": "hel"] }
        #expect(try await other.answer(to: .draft(room, "hello")).errorCode == nil)
        #expect(
            try await other.answer(to: .draft(Self.den, MessageContent("@bob", mentions: [UserName("bob")!]))).errorCode
                == nil)
        try await one.until { $0.texts == ["lobby": "hello", "den": "@bob"] }
        #expect(one.list[Self.den]?.light.content.mentions.people == [UserName("bob")!])
        #expect(try await other.answer(to: .draft(room, nil)).errorCode == nil)
        try await one.until { $0.texts == ["den": "@bob"] }
        #expect(stranger.texts == [:])
    }

    @Test func aDraftThatWasAnsweredOutlivesTheServer() async throws {
        let store = try StoreOfTheRun.current.open(in: folder)
        let first = try server(on: store)
        let ann = try await first.join(as: "ann")
        #expect(try await ann.answer(to: .draft(room, "hello")).errorCode == nil)
        first.server.drain()

        let second = try server(
            on: StoreOfTheRun.current == .sqlite ? store : StoreOfTheRun.current.open(in: folder))
        let watcher = try await DraftsWatcher(second.join(as: "ann"))

        #expect(watcher.texts == ["lobby": "hello"])
    }

    @Test func aReturningDeviceGetsWhatHasChanged() async throws {
        let server = try server()
        let writer = try await server.join(as: "ann")
        _ = try await writer.answer(to: .draft(room, "a"))
        _ = try await writer.answer(to: .draft(Self.den, "b"))
        let first = try await DraftsWatcher(server.join(as: "ann"))
        try await first.until { $0.texts.count == 2 }
        let held = first.list
        first.connection.close()
        _ = try await writer.answer(to: .draft(Self.den, "c"))

        let second = try await DraftsWatcher(server.join(as: "ann"), holding: held)

        try await second.until { $0.texts == ["lobby": "a", "den": "c"] }
        guard case .diff(_, .myDrafts, _, _) = second.answer else {
            throw DraftsWatcher.OtherAnswer(answer: second.answer)
        }
    }

    @Test func ofTooManyDraftsTheOldestGo() async throws {
        let server = try server()
        let ann = try await server.join(as: "ann")
        for number in 0..<103 {
            #expect(try await ann.answer(to: .draft(RoomName("r\(number)")!, "x")).errorCode == nil)
        }

        let watcher = try await DraftsWatcher(ann)

        try await watcher.until { $0.texts.count == WireLimits().drafts }
        #expect(watcher.texts["r102"] != nil)
    }

    @Test func aServerSeesTheDraftsOfTheOther() async throws {
        let address = try PostgresAddress.unused()
        let one = try ServerUnderTest(store: PostgresStore(address))
        let other = try ServerUnderTest(store: PostgresStore(address))
        let watcher = try await DraftsWatcher(other.join(as: "ann"))

        #expect(try await one.join(as: "ann").answer(to: .draft(room, "hello")).errorCode == nil)

        try await watcher.until { $0.texts == ["lobby": "hello"] }
    }

    @Test func aStoreThatFailsIsTold() async throws {
        let store = RefusingStore(store: InMemoryStore())
        let server = try server(on: store)
        let ann = try await server.join(as: "ann")

        #expect(try await ann.answer(to: .draft(room, "hello")).errorCode == .unavailable)
    }

    private final class RefusingStore: ForwardingStore {
        let store: any RoomStore

        init(store: any RoomStore) { self.store = store }

        func write(_ changes: [DraftChange], keeping most: Int) throws(RoomStoreError) {
            throw .unavailable("the disk does not answer")
        }
    }
}
