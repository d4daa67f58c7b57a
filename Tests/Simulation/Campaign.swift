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
    /// The number of steps at the busiest moment.
    var busiest = 0
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
            result.withLock { $0.note(world) }
        }
        self = result.withLock { $0 }
    }

    private init() {}

    private mutating func note(_ world: World) {
        schedules += 1
        busiest = max(busiest, world.clock.busiest)
        if world.strikes > 0 { struck += 1 }
        if let violation = world.violations.first {
            failures.append(Failure(seed: world.seed, violation: violation))
        } else if world.strikes > 0 {
            missed.append(world.seed)
        }
    }
}
