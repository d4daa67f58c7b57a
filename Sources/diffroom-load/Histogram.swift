/// A histogram of durations, in buckets whose width is at most 1/32 of their value.
///
/// - Units: microseconds.
/// - Complexity: O(1) to record, O(buckets) for a percentile.
struct Histogram: Equatable, Codable, Sendable {
    private(set) var counts: [Int] = []
    private(set) var total = 0
    private(set) var max: Int64 = 0

    mutating func record(_ microseconds: Int64) {
        let value = Swift.max(0, microseconds)
        let bucket = Self.bucket(of: value)
        if bucket >= counts.count { counts += Array(repeating: 0, count: bucket + 1 - counts.count) }
        counts[bucket] += 1
        total += 1
        max = Swift.max(max, value)
    }

    mutating func merge(_ other: Histogram) {
        counts += Array(repeating: 0, count: Swift.max(0, other.counts.count - counts.count))
        for (bucket, count) in other.counts.enumerated() { counts[bucket] += count }
        total += other.total
        max = Swift.max(max, other.max)
    }

    /// Returns the duration that this share of all does not exceed; 0 if there are none.
    func percentile(_ share: Double) -> Int64 {
        let rank = Int((share * Double(total)).rounded(.up))
        var seen = 0
        for (bucket, count) in counts.enumerated() {
            seen += count
            if seen >= rank, count > 0 { return min(max, Self.upperBound(of: bucket)) }
        }
        return 0
    }

    /// Returns a value's bucket. Values below 64 have a bucket each; above, each doubling has 32.
    private static func bucket(of value: Int64) -> Int {
        guard value >= 64 else { return Int(value) }
        let shift = 63 - value.leadingZeroBitCount - 5
        return 32 * shift + Int(value >> shift)
    }

    private static func upperBound(of bucket: Int) -> Int64 {
        guard bucket >= 64 else { return Int64(bucket) }
        let shift = bucket / 32 - 1
        return (Int64(bucket - 32 * shift) + 1) << shift - 1
    }
}
