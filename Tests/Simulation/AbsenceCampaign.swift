import Absences
import Dispatch
import Locking
import RoomStore
import TestSupport

/// Many histories of absences, as many at once as there are cores.
struct AbsenceCampaign: Sendable {
    private(set) var histories = 0
    private(set) var failures: [Campaign.Failure] = []
    private(set) var tally = AbsenceTally()

    init(seeds: Range<UInt64>) {
        let result = Guarded(AbsenceCampaign())
        DispatchQueue.concurrentPerform(iterations: seeds.count) { index in
            let seed = seeds.lowerBound + UInt64(index)
            let world = AbsenceWorld(seed: seed) { InMemoryStore(limits: $0) }
            world.play()
            result.withLock { $0.note(seed, world.complaints.first, world.tally) }
        }
        self = result.withLock { $0 }
    }

    private init() {}

    var report: String {
        let broken = failures.sorted { $0.seed < $1.seed }.map { "HISTORY=\($0.seed): \($0.violation)\n" }
        return broken.joined() + "\(histories) histories of absences: \(failures.count) broke a law; \(tally.report)"
    }

    private mutating func note(_ seed: UInt64, _ violation: String?, _ tally: AbsenceTally) {
        histories += 1
        if let violation { failures.append(Campaign.Failure(seed: seed, violation: violation)) }
        self.tally += tally
    }
}
