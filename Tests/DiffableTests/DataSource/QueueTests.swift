import TestSupport
import Testing

@testable import Diffable

@Suite
struct QueueTests {
    @Test(arguments: UInt64(0)..<20)
    func elementsLeaveInTheOrderInWhichTheyCame(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (queue, model) = (Queue<Int>(), [Int]())
        for number in 0..<2_000 {
            if Int.random(in: 0..<9, using: &random) < 5 - number / 1_000 * 2 {
                queue.append(number)
                model.append(number)
            } else {
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(queue.count == model.count && queue.first == model.first)
        }
    }

    @Test
    func anElementThatHasLeftIsReleased() {
        final class Element {}
        var queue = Queue<Element>()
        weak var gone: Element?
        do {
            let element = Element()
            gone = element
            queue.append(element)
            queue.append(Element())
        }
        _ = queue.popFirst()
        #expect(gone == nil && queue.count == 1)
    }
}
