/// One setting of a program: `--name` or `--name VALUE` on the command line, a variable in the environment, a key in a
/// configuration file.
package struct Flag: Sendable {
    /// What more there is to know about a flag.
    package enum Trait: Equatable, Sendable {
        /// May be given several times: an array in a file, separated by commas in the environment.
        case repeatable
        /// Its value is shown to nobody.
        case secret
        /// A running program takes a new value when it reads its configuration again.
        case live
        /// The name of a file or a folder.
        case file
        /// One of these.
        case choice([String])
        /// Asks for something else than the program's work, so it is no setting.
        case request
        /// For scripts: `--help` does not show it.
        case hidden
    }

    package let name: String
    /// What stands for the value in `--help`; `nil` for a switch.
    package let value: String?
    package let meaning: String
    package let fallback: String?
    package let traits: [Trait]

    /// A flag with a value.
    package init(
        _ name: String, _ value: String, _ meaning: String, default fallback: String? = nil, _ traits: Trait...
    ) {
        self.name = name
        self.value = value
        self.meaning = meaning
        self.fallback = fallback
        self.traits = traits
    }

    /// A switch: off unless given.
    package init(_ name: String, _ meaning: String, _ traits: Trait...) {
        self.name = name
        value = nil
        self.meaning = meaning
        fallback = nil
        self.traits = traits
    }

    package func has(_ trait: Trait) -> Bool {
        traits.contains(trait)
    }

    /// The values that it takes, if they are few.
    package var choices: [String] {
        for case .choice(let choices) in traits { return choices }
        return []
    }

    /// Every program has these.
    static let common = [
        Flag("config", "FILE", "Read settings from a JSON file; its keys are the flags' names.", .file),
        Flag("check-config", "Check all settings and what they name, say what is wrong, and end.", .request),
        Flag("print-config", "Print all settings as a file for --config, and end.", .request),
        Flag("help", "Say this and end.", .request),
        Flag("version", "Say the version and end.", .request),
        Flag("man", "Print the manual page and end.", .request, .hidden),
        Flag(
            "completion", "SHELL", "Print what completes the flags in a shell and end.", .request, .hidden,
            .choice(Shell.allCases.map(\.rawValue))),
    ]

    var synopsis: String {
        "--\(name)\(value.map { " " + $0 } ?? "")"
    }

    /// Its default, and whether a running program takes a new value.
    var defaultText: String {
        let remarks = [fallback, has(.live) ? "live" : nil].compactMap { $0 }
        return remarks.isEmpty ? "" : " [\(remarks.joined(separator: ", "))]"
    }
}
