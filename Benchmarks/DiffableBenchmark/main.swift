// swift run -c release --package-path Benchmarks DiffableBenchmark [protocol chat filter types sections operations memory]
// Milliseconds of CPU, the least and the median, and how many times faster than the first line.

import FoundationEssentials

let asked = Set(CommandLine.arguments.dropFirst())

func isAsked(_ part: String) -> Bool { asked.isEmpty || asked.contains(part) }

if isAsked("protocol") {
    for scenario in Scenarios.protocols { Report.run(scenario, UUID.self, Contenders.all(UUID.self)) }
}
if isAsked("chat") {
    for n in [3, 100, 1_000, 10_000, 100_000] {
        for scenario in Scenarios.chat(n) { Report.run(scenario, UUID.self, Contenders.all(UUID.self)) }
    }
}
if isAsked("filter") {
    for n in [10_000, 100_000] {
        for scenario in Scenarios.filter(n) { Report.run(scenario, UUID.self, Contenders.all(UUID.self)) }
    }
}
if isAsked("types") {
    for scenario in [Scenarios.protocols[1], Scenarios.chat(100_000).last!] {
        Report.run(scenario, Int.self, Contenders.all(Int.self))
        Report.run(scenario, Key.self, Contenders.all(Key.self))
        Report.run(scenario, String.self, Contenders.all(String.self))
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
}
if isAsked("memory") { Memory.run() }
