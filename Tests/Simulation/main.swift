import Foundation

// Simulation [COUNT] [FIRST]: plays COUNT schedules (10,000), from seed FIRST (1) on, for each fault that is put in on
// purpose a hundredth as many, and COUNT histories of absences. The exit status is 0 if no law was broken, and each of
// those faults broke one; 2 if it was not understood what to play.
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

func keepTheLaws(_ seeds: Range<UInt64>) -> Bool {
    let honest = Campaign(seeds: seeds)
    for failure in honest.failures { print("SEED=\(failure.seed): \(failure.violation)") }
    print("\(honest.schedules) schedules from seed \(seeds.lowerBound) on: \(honest.failures.count) broke a law")
    print("the busiest moment of all had \(honest.busiest) steps")
    var areFound = true
    for sabotage in Sabotage.allCases {
        let campaign = Campaign(seeds: seeds.prefix(seeds.count / 100), sabotage: sabotage)
        let schedules = "\(campaign.schedules) schedules"
        print("\(sabotage): \(schedules), struck in \(campaign.struck), missed in \(campaign.missed)")
        areFound = areFound && campaign.isFound
    }
    let absences = keepTheLawsOfAbsences(seeds)
    return honest.failures.isEmpty && areFound && absences
}

func keepTheLawsOfAbsences(_ seeds: Range<UInt64>) -> Bool {
    let absences = AbsenceCampaign(seeds: seeds)
    print(absences.report)
    return absences.failures.isEmpty
}

do throws(PlanError) {
    let arguments = Array(ProcessInfo.processInfo.arguments.dropFirst())
    let areKept =
        switch try Plan(arguments: arguments, environment: ProcessInfo.processInfo.environment) {
        case .campaign(let seeds): keepTheLaws(seeds)
        case .schedule(let seed, let sabotage, let isTold): keepsTheLaws(seed, sabotage, isTold: isTold)
        case .histories(let seeds): keepTheLawsOfAbsences(seeds)
        }
    exit(areKept ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("Simulation: \(error)\n".utf8))
    exit(2)
}
