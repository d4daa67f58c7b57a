import Dispatch
import Locking
import Publishing
import Testing

@Suite struct PublisherTests {
    @Test func aSinkHasSeenAValueWhenSendReturns() {
        let publisher = Publisher<Int>()
        let recorder = Recorder<Int>()
        let subscription = publisher.sink(recorder.record)

        publisher.send(1)
        publisher.send(2)

        #expect(recorder.values == [1, 2])
        subscription.cancel()
    }

    @Test func lettingGoOfTheSubscriptionEndsIt() {
        let publisher = Publisher<Int>()
        let recorder = Recorder<Int>()

        var subscription: Subscription? = publisher.sink(recorder.record)
        publisher.send(1)
        _ = subscription
        subscription = nil
        publisher.send(2)

        #expect(recorder.values == [1])
    }

    @Test func cancellingTwiceIsCancellingOnce() {
        let publisher = Publisher<Int>()
        let (first, second) = (Recorder<Int>(), Recorder<Int>())
        let cancelled = publisher.sink(first.record)
        let kept = publisher.sink(second.record)

        cancelled.cancel()
        cancelled.cancel()
        publisher.send(1)

        #expect(first.values == [])
        #expect(second.values == [1])
        kept.cancel()
    }

    @Test func aSubscriptionMayOutliveItsPublisher() {
        var publisher: Publisher<Int>? = Publisher()
        let subscription = publisher?.sink { _ in }

        publisher = nil

        subscription?.cancel()
        #expect(publisher == nil)
    }

    @Test func aValueSentFromWithinASinkComesAfterTheOneThatIsBeingHandedOut() {
        let publisher = Publisher<Int>()
        let (first, second) = (Recorder<Int>(), Recorder<Int>())
        let echo = publisher.sink { value in
            first.record(value)
            if value < 3 { publisher.send(value + 1) }
        }
        let other = publisher.sink(second.record)

        publisher.send(1)

        #expect(first.values == [1, 2, 3])
        #expect(second.values == [1, 2, 3])
        echo.cancel()
        other.cancel()
    }

    @Test func aSinkThatCancelsAnotherKeepsTheValueFromIt() {
        let publisher = Publisher<Int>()
        let recorder = Recorder<Int>()
        let victim = Guarded<Subscription?>(nil)
        let first = publisher.sink { _ in victim.withLock { $0 }?.cancel() }
        victim.withLock { $0 = publisher.sink(recorder.record) }

        publisher.send(1)

        #expect(recorder.values == [])
        first.cancel()
    }

    @Test func aSinkMayCancelItself() {
        let publisher = Publisher<Int>()
        let recorder = Recorder<Int>()
        let own = Guarded<Subscription?>(nil)
        let subscription = publisher.sink { value in
            recorder.record(value)
            own.withLock { $0 }?.cancel()
        }
        own.withLock { $0 = subscription }

        publisher.send(1)
        publisher.send(2)

        #expect(recorder.values == [1])
    }

    @Test func whoSubscribesWithinASinkSeesTheNextValue() {
        let publisher = Publisher<Int>()
        let recorder = Recorder<Int>()
        let late = Guarded<Subscription?>(nil)
        let first = publisher.sink { value in
            if value == 1 { late.withLock { $0 = publisher.sink(recorder.record) } }
        }

        publisher.send(1)
        publisher.send(2)

        #expect(recorder.values == [2])
        first.cancel()
    }

    @Test func allSubscribersSeeOneOrderWhoeverSends() {
        let publisher = Publisher<Int>()
        let recorders = (0..<3).map { _ in Recorder<Int>() }
        let subscriptions = recorders.map { publisher.sink($0.record) }

        DispatchQueue.concurrentPerform(iterations: 4) { sender in
            for value in 0..<500 { publisher.send(sender * 1_000 + value) }
        }

        for recorder in recorders { recorder.wait(for: 2_000) }
        #expect(recorders.allSatisfy { $0.values == recorders[0].values })
        for sender in 0..<4 {
            #expect(recorders[0].values.filter { $0 / 1_000 == sender } == (0..<500).map { sender * 1_000 + $0 })
        }
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func aSubscriberBeginsWithThePresentValuesInThePlaceOfThoseBeforeThem() {
        let (queue, gate) = DispatchQueue.held()
        let publisher = Publisher<Int>()
        let sum = Guarded(0)
        publisher.begin(on: queue) { [sum.withLock { $0 }] }
        for _ in 1...2 {
            queue.async {
                sum.withLock { $0 += 1 }
                publisher.send(-1)
            }
        }
        let recorder = Recorder<Int>()
        let subscription = publisher.sink(recorder.record)
        queue.async { publisher.send(3) }
        gate.open()
        recorder.wait(for: 2)

        #expect(recorder.values == [2, 3])
        subscription.cancel()
    }

    @Test func aSubscriberThatHasGoneBeginsWithNothing() {
        let (queue, gate) = DispatchQueue.held()
        let publisher = Publisher<Int>()
        publisher.begin(on: queue) { [1] }
        let recorder = Recorder<Int>()

        publisher.sink(recorder.record).cancel()
        gate.open()
        queue.sync {}

        #expect(recorder.values == [])
    }
}
