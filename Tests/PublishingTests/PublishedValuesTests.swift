import Dispatch
import Publishing
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(Deadline.minutes))) struct PublishedValuesTests {
    @Test func noValueIsMissedOnceTheLoopHasBegun() async {
        let publisher = Publisher<Int>()
        var values = publisher.receive(on: .global(), policy: .keepAll(upTo: 100)).values.makeAsyncIterator()

        for value in 0..<100 { publisher.send(value) }

        var seen: [Int] = []
        while seen.count < 100, let value = await values.next() { seen.append(value) }
        #expect(seen == Array(0..<100))
    }

    @Test func aSlowLoopGetsOneMergedValue() async {
        let publisher = Publisher<Int>()
        var values = publisher.receive(on: .global(), policy: .merge { $0 + $1 }).values.makeAsyncIterator()

        for value in 1...100 { publisher.send(value) }

        #expect(await values.next() == 5_050)
        publisher.send(7)
        #expect(await values.next() == 7)
    }

    @Test func othersThanThoseThatAreWantedAreNeitherKeptNorMerged() async {
        let publisher = Publisher<Int>()
        var values = publisher.receive(on: .global(), policy: .merge { $0 + $1 })
            .filter { $0 > 1 }.filter { $0.isMultiple(of: 2) }
            .values.makeAsyncIterator()

        for value in 0...6 { publisher.send(value) }

        #expect(await values.next() == 2 + 4 + 6)
    }

    @Test func aCancelledTaskEndsTheLoop() async {
        let publisher = Publisher<Int>()
        publisher.begin(on: DispatchQueue(label: "sender")) { [1, 2] }
        let task = Task {
            var seen: [Int] = []
            for await value in publisher.receive(on: .global(), policy: .keepAll(upTo: 2)).values {
                seen.append(value)
                withUnsafeCurrentTask { $0?.cancel() }
            }
            return seen
        }

        #expect(await task.value == [1])
    }

    @Test func aTaskThatWaitsIsCancelled() async {
        let publisher = Publisher<Int>()
        let task = Task { () -> Int? in
            var values = publisher.receive(on: .global(), policy: .keepLatest).values.makeAsyncIterator()
            return await values.next()
        }

        task.cancel()

        #expect(await task.value == nil)
    }

    @Test func anOverflowEndsTheLoopAfterTheValuesThatWereKept() async {
        let publisher = Publisher<Int>()
        var values = publisher.receive(on: .global(), policy: .keepAll(upTo: 2)).values.makeAsyncIterator()

        for value in 0..<3 { publisher.send(value) }

        #expect(await values.next() == 0)
        #expect(await values.next() == 1)
        #expect(await values.next() == nil)
        #expect(await values.next() == nil)
    }
}
