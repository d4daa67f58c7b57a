/// What was said on the command line and in the environment.
package struct FlagValues: Sendable {
    package internal(set) var operands: [String] = []
    var given: [String: String] = [:]
    let program: Program

    /// The flag's value, or its default.
    ///
    /// - Precondition: the program has a flag of this name, with a value.
    package subscript(_ name: String) -> String? {
        given[name] ?? flag(name).fallback
    }

    /// Whether the switch was given.
    package func isOn(_ name: String) -> Bool {
        _ = flag(name)
        return given[name] != nil
    }

    /// The flag's value as a number in a range.
    package func number(_ name: String, in range: ClosedRange<Int>) throws(FlagError) -> Int {
        let text = self[name] ?? ""
        guard let number = Int(text), range.contains(number) else {
            throw .badValue(name, text, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func flag(_ name: String) -> Flag {
        guard let flag = program.flags.first(where: { $0.name == name }) else {
            preconditionFailure("\(program.name) has no flag --\(name)")
        }
        return flag
    }
}

/// What was wrong with a command line, and what would be right.
package enum FlagError: Error, Equatable, Sendable, CustomStringConvertible {
    case unknown(String, nearest: String?)
    case ambiguous(String)
    case missingValue(String, String)
    case needlessValue(String)
    case badValue(String, String, String)
    case operands(found: Int, expected: String)

    package var description: String {
        switch self {
        case .unknown(let flag, let nearest):
            "there is no flag \(flag)\(nearest.map { "; did you mean --\($0)?" } ?? ""); --help lists them all"
        case .ambiguous(let flag): "\(flag) could be more than one flag: write it out; --help lists them all"
        case .missingValue(let flag, let value): "--\(flag) needs a value: --\(flag) \(value)"
        case .needlessValue(let flag): "--\(flag) takes no value"
        case .badValue(let flag, let value, let rule): "--\(flag): '\(value)' \(rule)"
        case .operands(let found, let expected): "found \(found) arguments besides flags, expected: \(expected)"
        }
    }
}
