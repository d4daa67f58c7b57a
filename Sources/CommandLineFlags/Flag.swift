/// One setting of a program: `--name` or `--name VALUE` on the command line, a variable in the environment, or a key in
/// a configuration file.
package struct Flag: Sendable {
    /// A property of a flag.
    package enum Trait: Equatable, Sendable {
        /// May be given several times: an array in a file, separated by commas in the environment.
        case repeatable
        /// Its value is never shown.
        case secret
        /// A running program takes a new value when it reads its configuration again.
        case live
        /// The value names a file or a folder.
        case file
        /// The value is one of these.
        case choice([String])
        /// Requests something other than the program's work, so it is not a setting.
        case request
        /// For scripts; `--help` does not show it.
        case hidden
        /// Must be given.
        case required
        /// Must be given, unless the other flag is.
        case requiredUnless(String)
        /// Can only be given together with the other flag.
        case needs(String)
        /// Cannot be given together with the other flag.
        case excludes(String)
    }

    package let name: String
    /// The placeholder for the value in `--help`; `nil` for a switch.
    package let value: String?
    package let meaning: String
    package let fallback: String?
    package let traits: [Trait]

    /// Makes a flag with a value.
    package init(
        _ name: String, _ value: String, _ meaning: String, default fallback: String? = nil, _ traits: Trait...
    ) {
        self.name = name
        self.value = value
        self.meaning = meaning
        self.fallback = fallback
        self.traits = traits
    }

    /// Makes a switch, which is off unless given.
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

    /// The possible values, if they are few.
    package var choices: [String] {
        for case .choice(let choices) in traits { return choices }
        return []
    }

    /// The flags of every program.
    static let common = [
        Flag("config", "FILE", "Read settings from a JSON file; its keys are the flags' names.", .file),
        Flag("check-config", "Check all settings and the files they name, report errors, and end.", .request),
        Flag("print-config", "Print all settings as a file for --config, and end.", .request),
        Flag("help", "Print this help and end.", .request),
        Flag("version", "Print the version and end.", .request),
        Flag("man", "Print the manual page and end.", .request, .hidden),
        Flag(
            "completion", "SHELL", "Print the completion of the flags for a shell and end.", .request, .hidden,
            .choice(Shell.allCases.map(\.rawValue))),
    ]

    var synopsis: String {
        "--\(name)\(value.map { " " + $0 } ?? "")"
    }

    /// The flag's default and whether it is live, for `--help`.
    var defaultText: String {
        let remarks = [fallback, has(.live) ? "live" : nil].compactMap { $0 }
        return remarks.isEmpty ? "" : " [\(remarks.joined(separator: ", "))]"
    }
}
