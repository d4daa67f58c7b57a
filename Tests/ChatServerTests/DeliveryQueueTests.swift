import ChatServer
import ChatWire
import Testing

/// The order in which rooms are delivered.
struct DeliveryQueueTests {
    private let a = RoomName("a")!
    private let b = RoomName("b")!

    private func queue(_ rooms: RoomName...) -> DeliveryQueue {
        var queue = DeliveryQueue()
        for room in rooms { queue.enqueue(room, at: .zero) }
        return queue
    }

    @Test
    func roomsHaveTheirTurnsOneAfterTheOther() {
        var queue = queue(a, b, a)

        #expect([queue.next(), queue.next(), queue.next()] == [a, b, nil])
        queue.finished(a, .delivered(more: true), at: .zero)
        queue.finished(b, .delivered(more: false), at: .zero)
        #expect([queue.next(), queue.next()] == [a, nil])
        #expect(queue.count == 1)
    }

    @Test
    func aRoomIsNotUnderWayTwice() {
        var queue = queue(a)
        _ = queue.next()

        queue.enqueue(a, at: .zero)

        #expect(queue.next() == nil)
        queue.finished(a, .delivered(more: false), at: .zero)
        #expect(queue.next() == a)
    }

    @Test
    func whatFailsRestsForLongerEachTimeAndTheOthersGoOn() {
        var queue = queue(a, b)
        _ = queue.next()
        var now = Duration.zero
        var rests: [Duration] = []
        for _ in 0..<9 {
            queue.finished(a, .failed(jitter: 1), at: now)
            rests.append((queue.earliest ?? .zero) - now)
            now = queue.earliest ?? .zero
            queue.wake(at: now)
            if rests.count == 1 { #expect(queue.next() == b) }
            #expect(queue.next() == a)
        }

        #expect(rests == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
        queue.finished(a, .failed(jitter: 0), at: now)
        #expect(queue.earliest == now + .seconds(30))
        queue.enqueue(a, at: now)
        #expect(queue.next() == nil)
        #expect(queue.oldest == .zero)
    }

    @Test
    func roomsBeyondTheLimitAreToBeAskedForAgainWhenHalfAreDone() {
        var queue = DeliveryQueue()
        for number in 0...DeliveryQueue.most { queue.enqueue(RoomName("room-\(number)")!, at: .zero) }
        #expect(queue.count == DeliveryQueue.most && queue.hasOverflowed && !queue.endOverflow())

        for _ in 0..<DeliveryQueue.most / 2 {
            guard let room = queue.next() else { break }
            queue.finished(room, .delivered(more: false), at: .zero)
        }

        #expect(queue.endOverflow() && !queue.endOverflow())
    }
}
