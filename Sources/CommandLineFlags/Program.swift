/// What a program takes on its command line, from its environment and from a configuration file: the one source for
/// reading all three and for `--help`.
package struct Program: Sendable {
    package let name: String
    /// What it does, in one line.
    package let summary: String
    /// What comes after the flags, as `--help` shows it; empty for nothing.
    package let operands: String
    /// How many operands there may be.
    package let operandCount: ClosedRange<Int>
    package let flags: [Flag]
    /// In which section of the manual its page stands: 1 for everybody's programs, 8 for the administrator's.
    package let section: Int
    /// What `--help` says after the flags.
    package let notes: String
    /// Each flag can also be given as an environment variable with this prefix: `--log-level` as `PREFIX_LOG_LEVEL`.
    package let environmentPrefix: String
    /// What else the program does when the first word asks for it, each with flags of its own.
    package let subcommands: [Program]
    /// Whose variables are whose.
    let neighbours: Neighbours

    /// Variables of the environment with a prefix like the program's that are not made of its flags.
    package struct Neighbours: Sendable {
        /// The program's own, besides those of its flags.
        let variables: [String]
        /// Prefixes of other programs that begin with this one's.
        let longer: [String]
        /// A prefix for which the program's own is easily mistaken.
        let mistaken: String?

        package init(variables: [String] = [], longer: [String] = [], mistaken: String? = nil) {
            (self.variables, self.longer, self.mistaken) = (variables, longer, mistaken)
        }
    }

    package init(
        name: String, summary: String, operands: String = "", operandCount: ClosedRange<Int> = 0...0, flags: [Flag],
        notes: String = "", section: Int = 1, environmentPrefix: String = "DIFFROOM", subcommands: [Program] = [],
        neighbours: Neighbours = Neighbours()
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.operandCount = operandCount
        self.flags = flags + Flag.common
        self.notes = notes
        self.section = section
        self.environmentPrefix = environmentPrefix
        self.subcommands = subcommands
        self.neighbours = neighbours
    }

    /// What `--help` prints.
    package var help: String {
        let flags = flags.filter { !$0.has(.hidden) }
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

            Each setting can also come from the environment, --\(example.name) as \(environmentName(of: example)), or from the
            file that --config names, as {"\(example.name)": …}. A flag wins over the environment, and that over the file.
            \(notes.isEmpty ? "" : "\n" + notes)
            """
    }

    /// A flag of its own, to explain all with.
    var example: Flag { flags[0] }

    private func indent(_ width: Int) -> String {
        String(repeating: " ", count: width + 4)
    }

    func environmentName(of flag: Flag) -> String {
        "\(environmentPrefix)_\(flag.name.uppercased().replacing("-", with: "_"))"
    }
}
