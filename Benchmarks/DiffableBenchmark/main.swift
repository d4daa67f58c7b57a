// swift run -c release --package-path Benchmarks DiffableBenchmark [protocol chat applies stages filter types
// building sections operations outlines paths], or with memory alone
// Milliseconds of CPU, the least and the median, and how many times faster than the first line.

import FoundationEssentials

let asked = Set(CommandLine.arguments.dropFirst())

func isAsked(_ part: String) -> Bool { asked.isEmpty || asked.contains(part) }

if isAsked("protocol") {
    for scenario in Scenarios.protocols { Report.run(scenario, UUID.self, Contenders.all(UUID.self)) }
}
if isAsked("chat") {
    for n in [3, 10, 100, 1_000, 10_000, 100_000] {
        for scenario in Scenarios.chat(n) { Report.run(scenario, UUID.self, Contenders.all(UUID.self)) }
    }
}
if isAsked("applies") {
    for n in [10, 10_000, 100_000] {
        Applies.run(n, Int.self)
        Applies.run(n, UUID.self)
        Applies.run(n, String.self)
    }
}
if isAsked("stages") {
    for scenario in [Scenarios.chat(3).last!, Scenarios.chat(10).last!, Scenarios.protocols[0]]
        + Scenarios.chat(10_000).suffix(2)
    {
        Report.run(scenario, UUID.self, Contenders.all(UUID.self))
    }
}
if isAsked("filter") {
    for n in [10_000, 100_000] {
        for scenario in Scenarios.filter(n) { Report.run(scenario, UUID.self, Contenders.all(UUID.self)) }
    }
}
if isAsked("types") {
    for scenario in Scenarios.protocols + [Scenarios.chat(10_000).last!, Scenarios.chat(100_000).last!] {
        Report.run(scenario, Int.self, Contenders.all(Int.self))
        Report.run(scenario, Key.self, Contenders.all(Key.self))
        Report.run(scenario, Wrapper.self, Contenders.all(Wrapper.self))
        Report.run(scenario, String.self, Contenders.all(String.self))
    }
}
if isAsked("building") {
    for n in [10_000, 100_000] {
        Building.run(n, Int.self)
        Building.run(n, Key.self)
        Building.run(n, UUID.self)
        Building.run(n, Wrapper.self)
        Building.run(n, String.self)
    }
}
if isAsked("sections") {
    for scenario in Scenarios.sectioned { Report.run(scenario, UUID.self, Contenders.all(UUID.self)) }
}
if isAsked("operations") {
    for n in [10_000, 100_000] {
        SnapshotOperations.run(n)
        EndToEnd.adapter(n)
    }
    SnapshotOperations.runMillion()
}
if isAsked("outlines") { Outlines.run() }
if isAsked("paths") { Paths.run() }
// By itself: what was freed before would be used again, and hide what lists take.
if asked == ["memory"] { Memory.run() }
