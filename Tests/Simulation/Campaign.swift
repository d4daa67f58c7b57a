import Dispatch
import Locking

/// Many schedules, as many at once as there are cores.
struct Campaign: Sendable {
    /// A schedule that broke a law.
    struct Failure: Sendable {
        let seed: UInt64
        let violation: String
    }

    /// One of so many is played a second time.
    private static let replayed = 20
    /// A fault makes a difference in at least one of so many schedules.
    private static let enough = 100

    var schedules = 0
    var failures: [Failure] = []
    /// Schedules in which the sabotage made a difference, and of those the ones that broke no law.
    var struck = 0
    var missed: [UInt64] = []

    /// True if each schedule in which the sabotage made a difference broke a law, and there was such a schedule.
    ///
    /// A few schedules may pass without one: a fault waits for its moment.
    var isFound: Bool { missed.isEmpty && (struck > 0 || schedules < Self.enough) }

    init(seeds: Range<UInt64>, sabotage: Sabotage? = nil) {
        let result = Guarded(Campaign())
        DispatchQueue.concurrentPerform(iterations: seeds.count) { index in
            let world = World(seed: seeds.lowerBound + UInt64(index), sabotage: sabotage)
            world.play()
            if sabotage == nil, index.isMultiple(of: Self.replayed) { world.playAgain() }
            result.withLock { $0.note(world.seed, strikes: world.strikes, violation: world.violations.first) }
        }
        self = result.withLock { $0 }
    }

    private init() {}

    private mutating func note(_ seed: UInt64, strikes: Int, violation: String?) {
        schedules += 1
        if strikes > 0 { struck += 1 }
        if let violation {
            failures.append(Failure(seed: seed, violation: violation))
        } else if strikes > 0 {
            missed.append(seed)
        }
    }
}
