import ChatWire
import Foundation
import Locking
import RoomStore
import TestSupport
import Testing
import Tokens

@testable import ChatServer

/// The searches of a store that servers share for operations that nobody has delivered.
@Suite(.timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has a store of its own"))
struct WebhookSweepTests {
    private let folder = TemporaryFolder()

    /// Each search takes a share of the time, so there is one at a time however often the queue was full.
    @Test
    func aSearchFollowsAnotherAfterAPause() async throws {
        let store = StoreFarBehind()
        let key = folder.file("key")
        try Data("whsec_\(Data(repeating: 1, count: 32).base64EncodedString())".utf8).write(to: URL(filePath: key))
        let dispatcher = WebhookDispatcher(
            of: store, part: 0,
            WebhookConfiguration(url: "http://127.0.0.1:9/", secret: try WebhookSecret(path: key)),
            metrics: WebhookMetrics(), log: ServerLog(format: .text, level: .error))
        defer { dispatcher.end() }

        var sweeps = store.sweeps.makeAsyncIterator()
        for _ in 0..<StoreFarBehind.longSweeps { _ = await sweeps.next() }
        while dispatcher.backlog.rooms > 0 { await Task.yield() }
        let start = ContinuousClock.now
        var last = try #require(await sweeps.next())
        while last < start { last = try #require(await sweeps.next()) }
        for _ in 0..<2 {
            let next = try #require(await sweeps.next())
            #expect(next - last >= .milliseconds(990))
            last = next
        }
    }
}

/// A store that servers share, and that has more rooms to deliver than the queue holds, until it was searched some times.
private final class StoreFarBehind: ForwardingStore, Deliveries {
    static let longSweeps = 4

    let store: any RoomStore = ForkedStore()
    /// The beginnings of the searches.
    let sweeps: AsyncStream<ContinuousClock.Instant>
    private let begin: AsyncStream<ContinuousClock.Instant>.Continuation
    private let begun = Guarded(0)

    init() {
        (sweeps, begin) = AsyncStream.makeStream()
    }

    func deliveries(part: Int) throws(RoomStoreError) -> (any Deliveries)? { self }

    func states(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [DeliveryState] {
        if name == nil {
            begun.withLock { $0 += 1 }
            begin.yield(.now)
        }
        guard begun.withLock({ $0 }) <= Self.longSweeps else { return [] }
        let first = name.flatMap { Int($0.description.dropFirst("room-".count)) } ?? 0
        return (first + 1...first + limit).map {
            DeliveryState(room: RoomName("room-\($0)")!, revision: 1, delivered: 0)
        }
    }

    /// Another server has delivered it meanwhile.
    func state(of room: RoomName) throws(RoomStoreError) -> DeliveryState? { nil }

    func noteDelivered(_ room: RoomName, upTo revision: Revision) throws(RoomStoreError) {}
}
