import Foundation

// Simulation [COUNT] [FIRST]: plays COUNT schedules (10,000), from seed FIRST (1) on, for each fault that is put in on
// purpose a hundredth as many, and COUNT histories of absences. The exit status is 0 if no law was broken, and each of
// those faults broke one.
// SEED=N Simulation: plays that schedule and tells of it; with TELL=1 of all that happens in it, and with SABOTAGE=NAME
// with that fault.
// HISTORY=N Simulation [COUNT]: plays only histories of absences: that one, or COUNT from it on.

/// Plays a schedule and tells of it. When it returns the world is let go of, with its files.
func keepsTheLaws(_ seed: UInt64, _ sabotage: Sabotage?, isTold: Bool) -> Bool {
    let world = World(seed: seed, sabotage: sabotage)
    world.isTold = isTold
    world.play()
    print("seed \(seed), fingerprint \(String(world.fingerprint, radix: 16)): \(world.violations.count) violations")
    if let sabotage { print("\(sabotage) struck \(world.strikes) times") }
    for violation in world.violations { print("  \(violation)") }
    return world.violations.isEmpty
}

let environment = ProcessInfo.processInfo.environment
let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
if let first = environment["HISTORY"].flatMap({ UInt64($0) }) {
    let absences = AbsenceCampaign(seeds: first..<first + (numbers.first ?? 1))
    print(absences.report)
    exit(absences.failures.isEmpty ? 0 : 1)
}
if let seed = environment["SEED"].flatMap({ UInt64($0) }) {
    let sabotage = Sabotage.allCases.first { "\($0)" == environment["SABOTAGE"] }
    exit(keepsTheLaws(seed, sabotage, isTold: environment["TELL"] != nil) ? 0 : 1)
}

let count = numbers.first ?? 10_000
let first = numbers.dropFirst().first ?? 1

let honest = Campaign(seeds: first..<first + count)
for failure in honest.failures { print("SEED=\(failure.seed): \(failure.violation)") }
print("\(honest.schedules) schedules from seed \(first) on: \(honest.failures.count) broke a law")

var missed = 0
for sabotage in Sabotage.allCases {
    let campaign = Campaign(seeds: first..<first + count / 100, sabotage: sabotage)
    missed += campaign.missed.count
    print("\(sabotage): \(campaign.schedules) schedules, struck in \(campaign.struck), missed in \(campaign.missed)")
}

let absences = AbsenceCampaign(seeds: first..<first + count)
print(absences.report)
exit(honest.failures.isEmpty && missed == 0 && absences.failures.isEmpty ? 0 : 1)
