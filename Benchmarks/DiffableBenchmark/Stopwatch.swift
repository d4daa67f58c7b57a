import Glibc

/// CPU time of the calling thread: what others do on the machine is not in it.
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

/// Calls `bodies` in turn, so that no input is met twice in a row by a trained branch predictor.
func measure(_ bodies: [() -> Int], budget: Double = 0.25) -> Timing {
    var samples: [Double] = []
    var spent = 0.0
    for body in bodies { keep(body()) }
    while (samples.count < 5 || spent < budget * 1_000) && samples.count < 400 && spent < 6_000 {
        let body = bodies[samples.count % bodies.count]
        let start = cpuNanoseconds()
        let result = body()
        let end = cpuNanoseconds()
        keep(result)
        samples.append(Double(end - start) / 1e6)
        spent += samples.last!
    }
    samples.sort()
    return Timing(minimum: samples[0], median: samples[samples.count / 2])
}

/// Makes the result count, so that the work for it is not removed.
@inline(never)
private func keep(_ value: Int) {
    precondition(value != Int.min)
}
