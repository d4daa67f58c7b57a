import ChatRoom
import ChatWire
import Dispatch
import Locking
import RoomStore
import TestSupport
import Testing

/// Several threads on one store.
struct ConcurrencyTests {
    private let folder = TemporaryFolder()

    @Test(arguments: StoreUnderTest.allCases)
    func committersAtTheSameTimeGetEachRevisionOnce(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let revisions = Guarded<[Revision]>([])

        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 0..<20 {
                let batch = (0..<3).map { RoomOperation.send(UInt64(thread * 1_000 + round * 10 + $0)) }
                let outcomes = try? store.commit(batch)
                revisions.withLock { $0 += outcomes?.compactMap(\.revision) ?? [] }
            }
        }

        #expect(revisions.withLock { $0.sorted() } == Array(1...240))
    }

    /// Each commit adds two rows and removes one, so a reading shows by itself whether it is as of one moment.
    @Test(arguments: StoreUnderTest.allCases)
    func whatIsReadDuringCommitsIsAsOfOneMoment(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let readings = Guarded<[RoomReading]>([])

        DispatchQueue.concurrentPerform(iterations: 3) { thread in
            for round in 0..<60 as Range<UInt64> {
                if thread == 0 {
                    _ = try? store.commit([.send(3 * round), .send(3 * round + 1), .delete(3 * round + 2, 3 * round)])
                } else if let reading = try? store.read(lobby, tail: 1_000, since: 0, atMost: 1_000) {
                    readings.withLock { $0.append(reading) }
                }
            }
        }

        for reading in readings.withLock({ $0 }) {
            #expect(reading.revision % 3 == 0 && reading.count == reading.revision / 3)
            #expect(reading.tail.count == reading.count)
            #expect(reading.changes.all?.count == 2 * reading.count)
        }
    }

    @Test(arguments: StoreUnderTest.allCases)
    func theSameBatchFromTwoSidesAtOnceIsDoneOnceAndAnsweredAlike(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let batch = (1...50).map { RoomOperation.send($0) }
        let answers = Guarded<[[Revision?]]>([])

        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            let outcomes = try? store.commit(batch)
            answers.withLock { $0.append(outcomes?.map(\.answer) ?? []) }
        }

        #expect(answers.withLock { $0 } == [Array(1...50), Array(1...50)])
        #expect(try store.read(lobby, tail: 0, since: nil, atMost: 0).count == 50)
    }
}

extension ConcurrencyTests {
    @Test(arguments: [StoreUnderTest.memory, .sqlite, .postgres])
    func whoJoinsManyRoomsAtOnceIsAMemberOfTheMost(kind: StoreUnderTest) throws {
        var limits = WireLimits()
        limits.memberships = 5
        let store = try kind.make(in: folder, limits: limits)
        let refusals = Guarded(0)

        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<5 as Range<UInt64> {
                let join = RoomOperation.act(number, .join, by: Someone.bob, in: RoomName("room-\(thread)-\(number)")!)
                let outcomes = try? store.commit([join])
                if outcomes == [.refused(.tooManyMemberships(most: 5))] { refusals.withLock { $0 += 1 } }
            }
        }

        #expect(refusals.withLock { $0 } == 15)
        #expect(try store.memberships(of: Someone.bob).count == 5)
    }
}

extension CommitOutcome {
    /// The revision in the answer to its sender.
    fileprivate var answer: Revision? {
        switch self {
        case .committed(let revision, _), .repeated(let revision): revision
        case .conflict, .refused: nil
        }
    }
}
