/// The values that were given on the command line, in the environment and in the configuration file.
package struct FlagValues: Sendable {
    /// The values of one flag from one source, in their order. A switch that is on has one empty text.
    struct Setting: Sendable {
        var texts: [String]
        let source: FlagSource
    }

    package internal(set) var operands: [String] = []
    var given: [String: Setting] = [:]
    /// The mistakes that the sources themselves show, whatever the values mean.
    var faults: [FlagError] = []
    /// The flags of which a value was refused.
    var refused: Set<String> = []
    let program: Program

    /// The flag's value, or its default.
    ///
    /// - Precondition: the program has a flag of this name, with a value.
    package subscript(_ name: String) -> String? {
        all(name).last
    }

    /// Returns all values of a flag that may be given several times.
    package func all(_ name: String) -> [String] {
        let flag = program.flag(name)
        return given[name]?.texts ?? flag.fallback.map { [$0] } ?? []
    }

    /// Returns whether the switch was given.
    package func isOn(_ name: String) -> Bool {
        !all(name).isEmpty
    }

    /// Returns the flag's value as a number in a range.
    ///
    /// - Parameter others: the flags by whose values the range is limited.
    package func number(
        _ name: String, in range: ClosedRange<Int>, because others: [String] = []
    ) throws(FlagError) -> Int {
        let (text, number) = (self[name] ?? "", self[name].flatMap { Int($0) })
        guard let number, range.contains(number) else {
            throw .badValue(
                name, text, "must be a whole number from \(range.lowerBound) to \(range.upperBound)",
                because: number == nil ? [] : others)
        }
        return number
    }

    /// Returns the flag's value as one of several choices; `nil` if it has no value.
    package func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, of _: Choice.Type = Choice.self
    ) throws(FlagError) -> Choice? where Choice.RawValue == String {
        guard let text = self[name] else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badValue(name, text, "must be one of \(all)")
        }
        return choice
    }

    /// Returns the flag's value as a number of bytes, written `65536`, `64K`, `512M` or `2G` with units of 1,024.
    package func size(_ name: String, in range: ClosedRange<Int>) throws(FlagError) -> Int {
        let text = self[name] ?? ""
        let shift = ["K": 10, "M": 20, "G": 30][text.last.map { String($0).uppercased() } ?? ""]
        let digits = shift == nil ? Substring(text) : text.dropLast()
        guard let number = Int(digits), number >= 0, number <= Int.max >> (shift ?? 0),
            range.contains(number << (shift ?? 0))
        else {
            throw .badValue(
                name, text, "must be a size from \(range.lowerBound) to \(range.upperBound) bytes, as 512M or 2G")
        }
        return number << (shift ?? 0)
    }

    /// Returns the flags whose values differ from `others`.
    package func changes(from others: FlagValues) -> [Flag] {
        program.flags.filter { all($0.name) != others.all($0.name) }
    }
}

extension Program {
    func flag(_ name: String) -> Flag {
        guard let flag = flags.first(where: { $0.name == name }) else {
            preconditionFailure("\(self.name) has no flag --\(name)")
        }
        return flag
    }
}

/// The source of a value.
enum FlagSource: Equatable, Sendable, CustomStringConvertible {
    case commandLine
    case environment(String)
    case file(String, line: Int)

    var description: String {
        switch self {
        case .commandLine: "the command line"
        case .environment(let variable): variable
        case .file(let path, let line): "\(path), line \(line)"
        }
    }
}
