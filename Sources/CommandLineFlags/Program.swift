/// What a program takes on its command line and from its environment; the one source for parsing and for `--help`.
package struct Program: Sendable {
    package let name: String
    /// What it does, in one line.
    package let summary: String
    /// What comes after the flags, as `--help` shows it; empty for nothing.
    package let operands: String
    /// How many operands there may be.
    package let operandCount: ClosedRange<Int>
    package let flags: [Flag]
    /// What `--help` says after the flags.
    package let notes: String
    /// Each flag can also be given as an environment variable with this prefix: `--log-level` as `PREFIX_LOG_LEVEL`.
    package let environmentPrefix: String

    package init(
        name: String, summary: String, operands: String = "", operandCount: ClosedRange<Int> = 0...0, flags: [Flag],
        notes: String = "", environmentPrefix: String = "DIFFROOM"
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.operandCount = operandCount
        self.flags = flags + [.help, .version]
        self.notes = notes
        self.environmentPrefix = environmentPrefix
    }

    /// What `--help` prints.
    package var help: String {
        let left = flags.map(\.synopsis)
        let width = min(34, left.map(\.count).max() ?? 0)
        let lines = zip(left, flags).map { left, flag in
            let gap = left.count <= width ? String(repeating: " ", count: width - left.count + 2) : "\n" + indent(width)
            return "  \(left)\(gap)\(flag.meaning.replacing("\n", with: "\n" + indent(width)))\(flag.defaultText)"
        }
        return """
            \(name): \(summary)

            usage: \(name) [flags]\(operands.isEmpty ? "" : " " + operands)

            \(lines.joined(separator: "\n"))

            Each flag can also be set in the environment: --log-level as \(environmentPrefix)_LOG_LEVEL. A flag wins.
            \(notes.isEmpty ? "" : "\n" + notes)
            """
    }

    private func indent(_ width: Int) -> String {
        String(repeating: " ", count: width + 4)
    }

    func environmentName(of flag: Flag) -> String {
        "\(environmentPrefix)_\(flag.name.uppercased().replacing("-", with: "_"))"
    }
}

/// One flag: `--name` or `--name VALUE`.
package struct Flag: Sendable {
    package let name: String
    /// What stands for the value in `--help`; `nil` for a switch.
    package let value: String?
    package let meaning: String
    package let fallback: String?

    /// A flag with a value.
    package init(_ name: String, _ value: String, _ meaning: String, default fallback: String? = nil) {
        self.name = name
        self.value = value
        self.meaning = meaning
        self.fallback = fallback
    }

    /// A switch: off unless given.
    package init(_ name: String, _ meaning: String) {
        self.name = name
        value = nil
        self.meaning = meaning
        fallback = nil
    }

    static let help = Flag("help", "Say this and end.")
    static let version = Flag("version", "Say the version and end.")

    var synopsis: String {
        "--\(name)\(value.map { " " + $0 } ?? "")"
    }

    var defaultText: String {
        fallback.map { " [\($0)]" } ?? ""
    }
}
