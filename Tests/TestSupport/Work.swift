import Glibc

/// The processor time of this thread that something takes, in nanoseconds.
package func work(of body: () throws -> Void) rethrows -> UInt64 {
    let start = processorTime()
    try body()
    return processorTime() - start
}

/// Returns whether sixteen times as much of something is less than sixty-four times the work: caches that it does not
/// fit into make up to twice of sixteen, and what looks at all for each makes sixteen times sixteen.
package func isLinear<Count: FixedWidthInteger>(from count: Count, _ work: (Count) throws -> UInt64) rethrows -> Bool {
    for _ in 0..<3 where try work(16 * count) < 64 * max(work(count), 1) { return true }
    return false
}

private func processorTime() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
