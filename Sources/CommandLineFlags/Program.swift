/// A program's command line, environment and configuration file. All three are read by this one description, and
/// `--help` prints it.
package struct Program: Sendable {
    package let name: String
    /// The program's purpose, in one line.
    package let summary: String
    /// The operands after the flags, as `--help` shows them; empty for none.
    package let operands: String
    /// The allowed number of operands.
    package let operandCount: ClosedRange<Int>
    package let flags: [Flag]
    /// The section of the manual page: 1 for everybody's programs, 8 for the administrator's.
    package let section: Int
    /// The file of settings that is read without `--config`, if it exists, in the folder of the user's configuration; `nil`
    /// for none.
    let userFile: String?
    /// The text that `--help` prints after the flags.
    package let notes: String
    /// The prefix of the environment variable of each flag: `--log-level` is `PREFIX_LOG_LEVEL`.
    package let environmentPrefix: String
    package let subcommands: [Subcommand]
    /// The other variables with a similar prefix.
    let neighbours: Neighbours

    /// The environment variables with a prefix like the program's that do not stem from its flags.
    package struct Neighbours: Sendable {
        /// The program's own variables besides those of its flags.
        let variables: [String]
        /// The prefixes of other programs that begin with this one's.
        let longer: [String]
        /// A prefix that is easily mistaken for the program's own.
        let mistaken: String?

        package init(variables: [String] = [], longer: [String] = [], mistaken: String? = nil) {
            (self.variables, self.longer, self.mistaken) = (variables, longer, mistaken)
        }
    }

    /// - Parameter environmentPrefix: by default the program's name, without the word of a subcommand.
    package init(
        name: String, summary: String, operands: String = "", operandCount: ClosedRange<Int> = 0...0, flags: [Flag],
        userFile: String? = nil, notes: String = "", section: Int = 1, environmentPrefix: String? = nil,
        subcommands: [Subcommand] = [],
        neighbours: Neighbours = Neighbours()
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.operandCount = operandCount
        self.flags = flags + Flag.common
        self.userFile = userFile
        self.notes = notes
        self.section = section
        self.environmentPrefix = environmentPrefix ?? Self.prefix(of: name)
        self.subcommands = subcommands
        self.neighbours = neighbours
    }

    private static func prefix(of name: String) -> String {
        name.prefix { $0 != " " }.uppercased().replacing("-", with: "_")
    }

    /// The text that `--help` prints.
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
            \(subcommandHelp)
            Each setting can also come from the environment, --\(example.name) as \(environmentName(of: example)), or from the
            file that --config names, as {"\(example.name)": …}. A flag wins over the environment, and that over the file.
            An empty variable is one that is not set.\(userFileHelp)
            \(notes.isEmpty ? "" : "\n" + notes)
            """
    }

    private var userFileHelp: String {
        userFile.map { " Without --config, ~/.config/\($0) is read if it exists." } ?? ""
    }

    private var subcommandHelp: String {
        guard !subcommands.isEmpty else { return "" }
        let width = subcommands.map(\.word.count).max() ?? 0
        let lines = subcommands.map { command in
            let gap = String(repeating: " ", count: width - command.word.count + 2)
            return "  \(command.word)\(gap)\(command.program.summary)\n"
        }
        return "\nAs its first word it takes one of these, each with a --help of its own:\n\n\(lines.joined())"
    }

    /// A flag to use in examples.
    var example: Flag { flags[0] }

    private func indent(_ width: Int) -> String {
        String(repeating: " ", count: width + 4)
    }

    func environmentName(of flag: Flag) -> String {
        "\(environmentPrefix)_\(flag.name.uppercased().replacing("-", with: "_"))"
    }
}
