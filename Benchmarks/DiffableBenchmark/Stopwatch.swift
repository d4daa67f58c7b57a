import Glibc

/// The CPU time of the calling thread, which excludes other work of the machine.
func cpuNanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Milliseconds of CPU for one call.
struct Timing {
    var minimum: Double
    var median: Double
}

/// Calls `bodies` in turn, so that a trained branch predictor meets no input twice in a row. Calls short ones many
/// times between two readings of the clock.
///
/// - `rounds`: the most calls to make, for a body that changes its own input.
func measure(_ bodies: [() -> Int], budget: Double = 0.25, rounds: Int = .max) -> Timing {
    let calls = callsForOneReading(bodies, most: max(1, rounds / 40))
    var samples: [Double] = []
    var spent = 0.0
    while (samples.count < 5 || spent < budget * 1_000) && samples.count < min(400, rounds / calls) && spent < 6_000 {
        let sample = milliseconds(of: bodies, from: samples.count * calls, calls: calls)
        samples.append(sample)
        spent += sample * Double(calls)
    }
    samples.sort()
    return Timing(minimum: samples[0], median: samples[samples.count / 2])
}

/// Returns how many calls take long enough for the clock, which may be coarse.
private func callsForOneReading(_ bodies: [() -> Int], most: Int) -> Int {
    var calls = 1
    while calls < most, milliseconds(of: bodies, from: 0, calls: calls) * Double(calls) < 0.02 { calls *= 2 }
    return min(calls, most)
}

/// Returns the average time of one call, over many.
private func milliseconds(of bodies: [() -> Int], from first: Int, calls: Int) -> Double {
    let start = cpuNanoseconds()
    for call in first..<first + calls { keep(bodies[call % bodies.count]()) }
    return Double(cpuNanoseconds() - start) / 1e6 / Double(calls)
}

/// Uses the result, so that the work for it is not removed.
@inline(never)
private func keep(_ value: Int) {
    precondition(value != Int.min)
}
