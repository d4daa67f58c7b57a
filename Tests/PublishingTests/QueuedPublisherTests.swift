import Dispatch
import Locking
import Publishing
import TestSupport
import Testing

@Suite struct QueuedPublisherTests {
    @Test func keepAllLosesNothingAndKeepsTheOrder() {
        let publisher = Publisher<Int>()
        let recorder = Recorder<Int>()
        let subscription = publisher.receive(on: DispatchQueue(label: "slow"), policy: .keepAll(upTo: 10_000))
            .sink(recorder.record)

        for value in 0..<10_000 { publisher.send(value) }
        recorder.wait(for: 10_000)

        #expect(recorder.values == Array(0..<10_000))
        subscription.cancel()
    }

    @Test func aConcurrentQueueStillGetsOneValueAtATime() {
        let publisher = Publisher<Int>()
        let recorder = Recorder<Int>()
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let subscription = publisher.receive(on: queue, policy: .keepAll(upTo: 1_000)).sink(recorder.record)

        for value in 0..<1_000 { publisher.send(value) }
        recorder.wait(for: 1_000)

        #expect(recorder.values == Array(0..<1_000))
        subscription.cancel()
    }

    @Test func oneValueOverTheLimitEndsTheSubscriptionAfterThoseThatWereKept() {
        let publisher = Publisher<Int>()
        let recorder = Recorder<Int>()
        let ends = Recorder<SubscriptionEnd>()
        let (queue, gate) = DispatchQueue.held()
        let subscription = publisher.receive(on: queue, policy: .keepAll(upTo: 3))
            .sink(ended: ends.record, recorder.record)

        for value in 1...5 { publisher.send(value) }
        gate.open()
        ends.wait(for: 1)
        publisher.send(6)
        queue.sync {}

        #expect(recorder.values == [1, 2, 3])
        #expect(ends.values == [.overflow])
        subscription.cancel()
    }

    @Test func aSenderWaitsForASlowSubscriberAndLosesNothing() {
        let publisher = Publisher<Int>()
        let (recorder, sent) = (Recorder<Int>(), Recorder<Int>())
        let (queue, gate) = DispatchQueue.held()
        let subscription = publisher.receive(on: queue, policy: .wait(beyond: 3)).sink(recorder.record)

        DispatchQueue.global().async {
            for value in 1...1_000 {
                publisher.send(value)
                sent.record(value)
            }
        }
        sent.wait(for: 3)
        #expect(sent.values == [1, 2, 3])
        gate.open()
        recorder.wait(for: 1_000)

        #expect(recorder.values == Array(1...1_000))
        subscription.cancel()
    }

    @Test func aSenderDoesNotWaitForWhoCancels() {
        let publisher = Publisher<Int>()
        let sent = Recorder<Int>()
        let (queue, gate) = DispatchQueue.held()
        let subscription = publisher.receive(on: queue, policy: .wait(beyond: 3)).sink { _ in }

        DispatchQueue.global().async {
            for value in 1...1_000 {
                publisher.send(value)
                sent.record(value)
            }
        }
        sent.wait(for: 3)
        subscription.cancel()
        sent.wait(for: 997)
        gate.open()
    }

    @Test func keepLatestDeliversTheLastValueAndNoneTwice() {
        let publisher = Publisher<Int>()
        let recorder = Recorder<Int>()
        let (queue, gate) = DispatchQueue.held()
        let subscription = publisher.receive(on: queue, policy: .keepLatest).sink(recorder.record)

        for value in 1...5 { publisher.send(value) }
        gate.open()
        recorder.wait(for: 1)
        queue.sync {}

        #expect(recorder.values == [5])
        subscription.cancel()
    }

    @Test(arguments: UInt64(0)..<50)
    func underKeepLatestTheLastValueArrivesHoweverTheTwoSidesRun(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let last = Int.random(in: 1...300, using: &random)
        let publisher = Publisher<Int>()
        let (recorder, done) = (Recorder<Int>(), Gate())
        let subscription = publisher.receive(on: DispatchQueue(label: "reader"), policy: .keepLatest).sink { value in
            recorder.record(value)
            if value == last { done.open() }
        }

        for value in 1...last { publisher.send(value) }
        done.pass()

        #expect(recorder.values.last == last)
        #expect(recorder.values == recorder.values.sorted())
        subscription.cancel()
    }

    @Test(arguments: UInt64(0)..<50)
    func whatArrivesMergedIsWhatWasSentMerged(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let values = (0..<Int.random(in: 1...300, using: &random)).map { _ in Int.random(in: 0..<10, using: &random) }
        let publisher = Publisher<[Int]>()
        let (recorder, done) = (Recorder<[Int]>(), Gate())
        let policy = SlowPolicy<[Int]>.merge { $0 + $1 }
        let arrived = Guarded(0)
        let subscription = publisher.receive(on: DispatchQueue(label: "reader"), policy: policy).sink { value in
            recorder.record(value)
            arrived.withLock { $0 += value.count }
            if arrived.withLock({ $0 }) == values.count { done.open() }
        }

        for value in values { publisher.send([value]) }
        done.pass()

        #expect(recorder.values.flatMap { $0 } == values)
        subscription.cancel()
    }

    @Test func noValueComesBeforeItIsAskedFor() {
        let publisher = Publisher<Int>()
        let recorder = Recorder<Int>()
        let queue = DispatchQueue(label: "reader")
        let subscription = publisher.receive(on: queue, policy: .keepAll(upTo: 10))
            .sink(demand: .max(1), recorder.record)

        for value in 1...5 { publisher.send(value) }
        recorder.wait(for: 1)
        queue.sync {}
        #expect(recorder.values == [1])

        subscription.request(.max(2))
        recorder.wait(for: 2)
        queue.sync {}
        #expect(recorder.values == [1, 2, 3])

        subscription.request(.unlimited)
        recorder.wait(for: 2)
        #expect(recorder.values == [1, 2, 3, 4, 5])
        subscription.cancel()
    }

    @Test func anOverflowIsToldWhenWhatWasKeptHasBeenAskedFor() {
        let publisher = Publisher<Int>()
        let (recorder, ends) = (Recorder<Int>(), Recorder<SubscriptionEnd>())
        let queue = DispatchQueue(label: "reader")
        let subscription = publisher.receive(on: queue, policy: .keepAll(upTo: 1))
            .sink(demand: .max(0), ended: ends.record, recorder.record)

        publisher.send(1)
        publisher.send(2)
        queue.sync {}
        #expect(ends.values == [])

        subscription.request(.max(1))
        ends.wait(for: 1)
        #expect(recorder.values == [1])
        subscription.cancel()
    }

    @Test func nothingIsDeliveredAfterCancellingOnTheSameQueue() {
        let publisher = Publisher<Int>()
        let recorder = Recorder<Int>()
        let (queue, gate) = DispatchQueue.held()
        let own = Guarded<Subscription?>(nil)
        let subscription = publisher.receive(on: queue, policy: .keepAll(upTo: 10)).sink { value in
            recorder.record(value)
            own.withLock { $0 }?.cancel()
        }
        own.withLock { $0 = subscription }

        for value in 1...5 { publisher.send(value) }
        gate.open()
        recorder.wait(for: 1)
        queue.sync {}

        #expect(recorder.values == [1])
    }

    @Test func aQueueDoesItsOtherWorkBetweenManyValues() {
        let publisher = Publisher<Int>()
        let seenByOther = Recorder<Int>()
        let recorder = Recorder<Int>()
        let (queue, gate) = DispatchQueue.held()
        let subscription = publisher.receive(on: queue, policy: .keepAll(upTo: 1_000)).sink(recorder.record)
        for value in 0..<1_000 { publisher.send(value) }

        queue.async { seenByOther.record(recorder.values.count) }
        gate.open()
        recorder.wait(for: 1_000)
        queue.sync {}

        #expect(seenByOther.values[0] < 1_000)
        subscription.cancel()
    }
}
