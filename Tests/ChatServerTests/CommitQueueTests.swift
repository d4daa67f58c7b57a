import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

import struct TestSupport.SplitMix64

@testable import ChatServer

/// However operations and read marks are gathered into transactions, the store ends as if each had been done when it came.
@Suite struct CommitQueueTests {
    private struct Order: CommitSubmission {
        let room: RoomName
        let operation: Operation
    }

    private static let rooms = ["lobby", "tea", "attic"].map { RoomName($0)! }
    private static let users = ["ann", "bob", "cid"].map { UserName($0)! }

    /// The owner of a queue, who has time between what it does.
    private struct Owner {
        var queue = CommitQueue<Order>(limits: CommitLimits(bytes: 1 << 20, patience: .zero), lanes: 3)
        let store = InMemoryStore(limits: WireLimits())
        /// The transactions under way, by lane.
        private(set) var batches: [Int: CommitQueue<Order>.Batch] = [:]

        mutating func begin(_ lane: Int?, using random: inout SplitMix64) {
            guard let lane else { return }
            batches[lane] = queue.next(on: lane, atMost: .random(in: 1...5, using: &random))
            let rooms = batches.values.map { Set($0.entries(of: store.epoch, at: { _ in nil }).map(\.room)) }
            #expect(rooms.map(\.count).reduce(0, +) == rooms.reduce(Set()) { $0.union($1) }.count)
        }

        mutating func endOne(using random: inout SplitMix64) throws {
            let underWay = batches.sorted { $0.key < $1.key }
            guard let (lane, batch) = underWay.randomElement(using: &random) else { return }
            _ = try store.commit(inOrder: batch.entries(of: store.epoch, at: { _ in nil }))
            begin(lane, using: &random)
        }

        /// Only marks come back: whoever waits for an operation is told that it failed.
        mutating func failOne(using random: inout SplitMix64) {
            let underWay = batches.sorted { $0.key < $1.key }.filter(\.value.submissions.isEmpty)
            guard let (lane, batch) = underWay.randomElement(using: &random) else { return }
            _ = queue.requeue(batch.marks)
            begin(lane, using: &random)
        }

        mutating func passOne(using random: inout SplitMix64) {
            let batch = batches.sorted { $0.key < $1.key }.randomElement(using: &random)?.value
            if let batch { begin(queue.markLate(batch), using: &random) }
        }
    }

    @Test(arguments: UInt64(0)..<300)
    func theStoreEndsAsIfEachHadBeenDoneWhenItCame(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let model = InMemoryStore(limits: WireLimits())
        var owner = Owner()
        for number in UInt64(1)...120 {
            let room = Self.rooms.randomElement(using: &random)!
            let user = Self.users.randomElement(using: &random)!
            switch Int.random(in: 0..<9, using: &random) {
            case 0, 1:
                let order = order(number, by: user, in: room, using: &random)
                _ = owner.queue.add([order])
                _ = try model.commit([RoomOperation(room: room, operation: order.operation)])
            case 2, 3:
                // Somebody can have read only what is durable.
                let head = try owner.store.read(room, tail: 0, since: nil, atMost: 0).revision
                let mark = ReadMark(room: room, user: user, revision: .random(in: 0...head, using: &random))
                _ = owner.queue.add([(mark, owner.store.epoch)])
                _ = try model.commit(inOrder: [.mark(mark)])
            case 4: owner.begin(owner.queue.start(), using: &random)
            case 5: owner.begin(owner.queue.startMarks(), using: &random)
            case 6: owner.passOne(using: &random)
            case 7: owner.failOne(using: &random)
            default: try owner.endOne(using: &random)
            }
        }
        owner.begin(owner.queue.startMarks(), using: &random)
        owner.begin(owner.queue.start(), using: &random)
        while owner.queue.isAtWork { try owner.endOne(using: &random) }

        for user in Self.users {
            #expect(try model.memberships(of: user) == owner.store.memberships(of: user))
        }
    }

    /// As when another server has the lobby's lock.
    @Test func aTransactionThatTakesLongHoldsUpNoOtherRooms() throws {
        var random = SplitMix64(seed: 1)
        func order(_ number: UInt64, in room: Int) -> Order {
            self.order(number, by: Self.users[0], in: Self.rooms[room], using: &random)
        }
        var queue = CommitQueue<Order>(limits: CommitLimits(bytes: 1 << 20, patience: .zero), lanes: 2)
        _ = queue.add([order(1, in: 0)])
        #expect(queue.start() == 0)
        let taken = queue.next(on: 0, atMost: 9)
        let first = try #require(taken)
        _ = queue.add([order(2, in: 0), order(3, in: 1)])
        #expect(queue.start() == nil, "what comes waits for what is under way")

        #expect(queue.markLate(first) == 1)
        #expect(queue.next(on: 1, atMost: 9)?.submissions.map(\.room) == [Self.rooms[1]])
        #expect(queue.next(on: 0, atMost: 9) == nil, "one lane goes on")
        #expect(queue.next(on: 1, atMost: 9)?.submissions.map(\.room) == [Self.rooms[0]])
        #expect(queue.markLate(first) == nil && queue.next(on: 1, atMost: 9) == nil && !queue.isAtWork)
    }

    /// The store that failed a moment ago would fail again, as fast as it can be asked.
    @Test func marksThatCouldNotBeWrittenWaitForAnotherPause() throws {
        var random = SplitMix64(seed: 1)
        var queue = CommitQueue<Order>(limits: CommitLimits(bytes: 1 << 20, patience: .zero), lanes: 2)
        _ = queue.add([order(1, by: Self.users[0], in: Self.rooms[0], using: &random)])
        #expect(queue.start() == 0)
        let taken = queue.next(on: 0, atMost: 9)
        let late = try #require(taken)
        _ = queue.add([(ReadMark(room: Self.rooms[1], user: Self.users[0], revision: 0), Epoch("run1")!)])
        #expect(queue.startMarks() == nil && queue.markLate(late) == 1)
        let marks = queue.next(on: 1, atMost: 9)?.marks
        _ = queue.requeue(try #require(marks))
        _ = queue.add([order(2, by: Self.users[0], in: Self.rooms[0], using: &random)])
        #expect(queue.start() == nil, "the lane is at work")

        #expect(queue.next(on: 1, atMost: 9) == nil)
        #expect(queue.startMarks() == 1)
        #expect(queue.next(on: 1, atMost: 9)?.marks.count == 1)
    }

    /// Or the same marks would come back before it for as long as the store fails.
    @Test func anOperationGoesHoweverManyMarksAreBeforeIt() {
        var random = SplitMix64(seed: 1)
        var queue = CommitQueue<Order>(limits: CommitLimits(bytes: 1 << 20, patience: .zero))
        _ = queue.add(Self.users.map { (ReadMark(room: Self.rooms[0], user: $0, revision: 0), Epoch("run1")!) })
        _ = queue.add((1...2).map { order($0, by: Self.users[0], in: Self.rooms[0], using: &random) })
        #expect(queue.start() == 0)
        let first = queue.next(on: 0, atMost: 1)
        #expect(first?.marks.count == Self.users.count && first?.submissions.count == 1)
        #expect(queue.next(on: 0, atMost: 1)?.submissions.count == 1)
    }

    private func order(
        _ number: UInt64, by user: UserName, in room: RoomName, using random: inout SplitMix64
    ) -> Order {
        let actions: [RoomAction] = [
            .send("hello"), .send("hello"), .join, .join, .leave,
            .settings(SettingsChange(isMarked: .random(using: &random))),
            .settings(SettingsChange(unreadFrom: number / 2)),
        ]
        let operation = Operation(
            command: CommandID(high: 0, low: number), author: user, role: .write, time: Milliseconds(number),
            action: actions.randomElement(using: &random)!)
        return Order(room: room, operation: operation)
    }

    @Test func marksOfAnotherHistoryDoNotGo() throws {
        var queue = CommitQueue<Order>(limits: CommitLimits(bytes: 1 << 20, patience: .zero))
        let mark = ReadMark(room: Self.rooms[0], user: Self.users[0], revision: 3)
        let isToBeTaken = queue.add([(mark, Epoch("old")!)])
        let lane = queue.startMarks()
        let taken = queue.next(on: 0, atMost: 9)
        let batch = try #require(taken)

        #expect(isToBeTaken && lane == 0)
        #expect(batch.marks.count == 1 && batch.entries(of: Epoch("new")!, at: { _ in nil }).isEmpty)
    }

    @Test func noMoreWaitsThanMay() throws {
        var random = SplitMix64(seed: 1)
        let orders = (1...10).map { order(UInt64($0), by: Self.users[0], in: Self.rooms[0], using: &random) }
        var queue = CommitQueue<Order>(limits: CommitLimits(operations: 4, bytes: 1 << 20, patience: .zero))

        let first = queue.add(orders).count
        let starts = queue.start()
        let gone = queue.next(on: 0, atMost: 3)?.submissions.count
        let second = queue.add(Array(orders.dropFirst(4))).count

        #expect(starts == 0 && (first, gone, second) == (4, 3, 3))
    }
}
