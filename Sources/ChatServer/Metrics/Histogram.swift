import Locking

/// The counts of numbers in each of a few ranges.
final class Histogram: Sendable {
    /// Bounds for counts.
    static let powersOfTwo: [Double] = (0...11).map { Double(1 << $0) }
    /// Bounds in seconds, from a tenth of a millisecond to ten seconds.
    static let seconds: [Double] = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 10]

    struct Reading: Sendable {
        /// The count up to each bound, in the order of the bounds; then the count of all.
        let cumulative: [UInt64]
        let sum: Double

        /// - Parameter counts: the count of each range.
        init(counts: [UInt64], sum: Double) {
            var total: UInt64 = 0
            cumulative = counts.map { count in
                total += count
                return total
            }
            self.sum = sum
        }
    }

    let bounds: [Double]
    private let state: Guarded<(counts: [UInt64], sum: Double)>

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Guarded((Array(repeating: 0, count: bounds.count + 1), 0))
    }

    func observe(_ duration: Duration) {
        observe(duration / .seconds(1))
    }

    func observe(_ number: Double) {
        let place = bounds.firstIndex { number <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[place] += 1
            state.sum += number
        }
    }

    var reading: Reading {
        state.withLock { state in
            Reading(counts: state.counts, sum: state.sum)
        }
    }
}
