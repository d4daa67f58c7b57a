import CMalloc
import Diffable
import TestSupport
import Testing

/// Memory stays linear: a number of bytes of heap for each item, whatever the number of items.
///
/// Each test has a process of its own, in which nothing else allocates.
@Suite
struct MemoryTests {
    @Test
    func buildingTakesSoManyBytesPerItem() async {
        await #expect(processExitsWith: .success) {
            cmalloc_make_peaks_readable()
            for n in [1_000, 10_000, 100_000] {
                let items = Array(0..<n)
                Heap.expectPeak(below: 64, for: n) { DifferenceLawTests.flat(items) }
            }
        }
    }

    @Test
    func appendingOneByOneTakesSoManyBytesPerItem() async {
        await #expect(processExitsWith: .success) {
            cmalloc_make_peaks_readable()
            for n in [1_000, 10_000, 100_000] {
                Heap.expectPeak(below: 96, for: n) {
                    var snapshot = DifferenceLawTests.flat([Int]())
                    for item in 0..<n { snapshot.appendItems([item]) }
                    return snapshot
                }
            }
        }
    }

    @Test
    func aDifferenceTakesSoManyBytesPerItemHoweverMuchChanged() async {
        await #expect(processExitsWith: .success) {
            cmalloc_make_peaks_readable()
            for n in [1_000, 10_000, 100_000] {
                let items = Array(0..<n)
                let full = DifferenceLawTests.flat(items)
                var random = SplitMix64(seed: 7)
                let others = [
                    [], items.reversed(), items.shuffled(using: &random), items.map { $0 + n },
                    items.map { $0 + n / 2 }.shuffled(using: &random), items.filter { $0 % 2 == 0 },
                ].map(DifferenceLawTests.flat)
                for other in others {
                    Heap.expectPeak(below: 144, for: n) { other.difference(from: full) }
                    Heap.expectPeak(below: 144, for: n) { full.difference(from: other) }
                }
            }
        }
    }
}

private enum Heap {
    /// Stops the process if `body` makes the heap grow by more than `bytes` per item, for `n` items. Free space between
    /// older blocks, some hundred KiB if another thread was quick, is used first and not seen, so the largest `n` is
    /// the most exact.
    static func expectPeak<Result>(below bytes: Int, for n: Int, _ body: () -> Result) {
        let before = cmalloc_trim()
        let result = body()
        let peak = cmalloc_size() - before
        let heapItself = 256 * 1_024  // the initial size of a thread's heap
        precondition(peak < bytes * n + heapItself, "\(peak) bytes for \(n) items, more than \(bytes) for each")
        withExtendedLifetime(result) {}
    }
}
