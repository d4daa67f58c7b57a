import ChatRoom
import ChatWire
import RoomStore
import Testing

import struct TestSupport.SplitMix64

@testable import ChatServer

/// However operations and read marks are gathered into transactions, the store ends as if each had been done when it came.
@Suite struct CommitQueueTests {
    private struct Order: CommitSubmission {
        let room: RoomName
        let operation: Operation
    }

    private static let rooms = ["lobby", "tea"].map { RoomName($0)! }
    private static let users = ["ann", "bob", "cid"].map { UserName($0)! }

    @Test(arguments: UInt64(0)..<300)
    func theStoreEndsAsIfEachHadBeenDoneWhenItCame(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let (one, other) = (InMemoryStore(limits: WireLimits()), InMemoryStore(limits: WireLimits()))
        var queue = CommitQueue<Order>(limits: CommitLimits(bytes: 1 << 20, patience: .zero))
        for number in UInt64(1)...120 {
            let room = Self.rooms.randomElement(using: &random)!
            let user = Self.users.randomElement(using: &random)!
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let order = order(number, by: user, in: room, using: &random)
                _ = queue.add([order])
                _ = try one.commit([RoomOperation(room: room, operation: order.operation)])
            case 2, 3:
                // Somebody can have read only what is durable.
                let head = try other.read(room, tail: 0, since: nil, atMost: 0).revision
                let mark = ReadMark(room: room, user: user, revision: .random(in: 0...head, using: &random))
                _ = queue.add([(mark, other.epoch)])
                _ = try one.commit(inOrder: [.mark(mark)])
            default:
                let batch = Bool.random(using: &random) ? queue.takeMarks() : next(of: &queue, using: &random)
                if let batch { _ = try other.commit(inOrder: batch.entries(of: other.epoch)) }
            }
        }
        _ = queue.start()
        while let batch = queue.next(atMost: 7) { _ = try other.commit(inOrder: batch.entries(of: other.epoch)) }
        _ = try other.commit(inOrder: queue.takeMarks().entries(of: other.epoch))

        for user in Self.users { #expect(try one.memberships(of: user) == other.memberships(of: user)) }
    }

    private func order(
        _ number: UInt64, by user: UserName, in room: RoomName, using random: inout SplitMix64
    ) -> Order {
        let actions: [RoomAction] = [
            .send(text: "hello", replyTo: nil), .send(text: "hello", replyTo: nil), .join, .join, .leave,
            .settings(SettingsChange(isMarked: .random(using: &random))),
            .settings(SettingsChange(unreadFrom: number / 2)),
        ]
        let operation = Operation(
            command: CommandID(high: 0, low: number), author: user, role: .write, time: Milliseconds(number),
            action: actions.randomElement(using: &random)!)
        return Order(room: room, operation: operation)
    }

    private func next(of queue: inout CommitQueue<Order>, using random: inout SplitMix64) -> CommitQueue<Order>.Batch? {
        _ = queue.start()
        return queue.next(atMost: .random(in: 1...5, using: &random))
    }

    @Test func marksOfAnotherHistoryDoNotGo() {
        var queue = CommitQueue<Order>(limits: CommitLimits(bytes: 1 << 20, patience: .zero))
        let mark = ReadMark(room: Self.rooms[0], user: Self.users[0], revision: 3)
        let isToBeTaken = queue.add([(mark, Epoch("old")!)])
        let batch = queue.takeMarks()

        #expect(isToBeTaken)
        #expect(batch.marks.count == 1 && batch.entries(of: Epoch("new")!).isEmpty)
    }

    @Test func noMoreWaitsThanMay() throws {
        var random = SplitMix64(seed: 1)
        let orders = (1...10).map { order(UInt64($0), by: Self.users[0], in: Self.rooms[0], using: &random) }
        var queue = CommitQueue<Order>(limits: CommitLimits(operations: 4, bytes: 1 << 20, patience: .zero))

        let first = queue.add(orders).count
        let starts = queue.start()
        let gone = queue.next(atMost: 3)?.submissions.count
        let second = queue.add(Array(orders.dropFirst(4))).count

        #expect(starts && (first, gone, second) == (4, 3, 3))
    }
}
