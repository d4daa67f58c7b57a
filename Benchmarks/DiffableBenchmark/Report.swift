import Glibc

/// One line per contender, with the ratio to the first of them.
enum Report {
    static func run<ID: Identifier>(
        _ scenario: Scenario, _ type: ID.Type, _ contenders: [Contender<ID>], inputs: UInt64 = 4
    ) {
        var changes: [(old: [NamedSection<ID>], new: [NamedSection<ID>])] = []
        for seed in 0..<inputs {
            var random = SplitMix64(seed: seed + 1)
            let change = scenario.make(&random)
            changes.append((change.old.map(NamedSection.init), change.new.map(NamedSection.init)))
        }
        print("\(scenario.name), n = \(scenario.count), \(type)")
        var yardstick: Double?
        for contender in contenders where scenario.count <= contender.longest {
            let timing = measure(changes.map { contender.prepare($0.old, $0.new) })
            let ratio = (yardstick ?? timing.minimum) / timing.minimum
            yardstick = yardstick ?? timing.minimum
            line(contender.name, timing, ratio)
        }
    }

    static func line(_ name: String, _ timing: Timing, _ ratio: Double? = nil) {
        let name = name + String(repeating: " ", count: max(0, 28 - name.count))
        let ratio = ratio.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }  // none if the clock read nothing
        let times = [timing.minimum, timing.median].map(padded).joined(separator: " ")
        print("    \(name)\(times)\(ratio.map { "  x " + rounded($0) } ?? "")")
        fflush(nil)  // into a pipe, too: the whole run takes minutes
    }

    private static func padded(_ number: Double) -> String {
        let text = rounded(number)
        return String(repeating: " ", count: max(0, 10 - text.count)) + text
    }

    /// Returns the number with three significant digits.
    private static func rounded(_ number: Double) -> String {
        var scale = 1.0
        while number * scale < 100, scale < 1e6 { scale *= 10 }
        return "\((number * scale).rounded() / scale)"
    }
}
