/// A mistake on the command line, in the environment or in a configuration file, and its remedy.
package enum FlagError: Error, Equatable, Sendable, CustomStringConvertible {
    case unknown(String, nearest: String?)
    case ambiguous(String)
    case missingValue(String, String)
    case needlessValue(String)
    case repeated(String)
    /// `because` names the other flags whose values, or absence, make this one wrong.
    case badValue(String, String, String, because: [String] = [])
    case badVariable(String, String, String)
    case unknownVariable(String, nearest: String?)
    /// `line` is `nil` when the file could not be read.
    case badFile(String, line: Int?, String)
    case badOperand(String, String)
    case operands(found: Int, expected: String)
    case several([FlagError])

    /// The text that stands for a secret wherever values are shown.
    static let mask = "(secret)"

    package var description: String {
        switch self {
        case .unknown(let flag, let nearest):
            "there is no flag \(flag)\(nearest.map { "; did you mean --\($0)?" } ?? ""); --help lists them all"
        case .ambiguous(let flag): "\(flag) could be more than one flag: write it out; --help lists them all"
        case .missingValue(let flag, let value): "--\(flag) needs a value: --\(flag) \(value)"
        case .needlessValue(let flag): "--\(flag) takes no value"
        case .repeated(let flag): "--\(flag) is given twice, and takes one value: leave one of them out"
        case .badValue(let flag, let value, let rule, _):
            value.isEmpty ? "--\(flag) \(rule)" : "--\(flag): '\(value)' \(rule)"
        case .badVariable(let variable, let value, let rule): "\(variable): '\(value)' \(rule)"
        case .unknownVariable(let variable, let nearest):
            "there is no variable \(variable)\(nearest.map { "; did you mean \($0)?" } ?? ""): unset it; --help lists them all"
        case .badFile(let path, let line, let rule): "\(path)\(line.map { ", line \($0)" } ?? ""): \(rule)"
        case .badOperand(let text, let rule): "'\(text)' \(rule)"
        case .operands(let found, let expected):
            "arguments besides flags: \(found) given; expected: \(expected)"
        case .several(let errors): errors.map(\.description).joined(separator: "\n")
        }
    }
}
