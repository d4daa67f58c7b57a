import CGetopt
import Glibc
import Locking

/// getopt_long(3) keeps its place in globals, so only one command line is read at a time.
private let turn = Guarded(())

extension Program {
    /// Reads the command line, then the environment, then the file that `--config` names. An earlier source has
    /// precedence.
    ///
    /// - Parameters:
    ///   - arguments: with the program's name in front.
    ///   - parent: the program that this is a subcommand of; its settings are ignored.
    /// - Throws: all mistakes in the environment and the file at once.
    package func parse(
        _ arguments: [String], environment: [String: String], of parent: Program? = nil
    ) throws(FlagError) -> FlagValues {
        let values = try read(arguments, environment: environment, of: parent)
        if values.faults.count == 1 { throw values.faults[0] }
        if !values.faults.isEmpty { throw .several(values.faults) }
        return values
    }

    /// Reads as ``parse(_:environment:of:)`` does, but returns the mistakes in the environment and the file with the
    /// values.
    func read(
        _ arguments: [String], environment: [String: String], of parent: Program?
    ) throws(FlagError) -> FlagValues {
        var values = FlagValues(program: self)
        try turn.withLock { (_) throws(FlagError) in try read(arguments, into: &values) }
        guard operandCount.contains(values.operands.count) || flags.contains(where: { values.requests($0) }) else {
            throw .operands(found: values.operands.count, expected: operands.isEmpty ? "none" : operands)
        }
        guard values.readsSettings else { return values }
        if values.operands.contains(""), !operands.isEmpty {
            let expected = operands.filter { !"[]".contains($0) }
            values.note(.badOperand("", "is empty, and must be \(expected)"), about: [])
            values.operands.removeAll(where: \.isEmpty)
        }
        refuseStrangers(environment, of: parent, in: &values)
        for flag in flags { read(flag, from: environment, into: &values) }
        readFile(into: &values, environment, of: parent)
        return values
    }

    private func read(_ flag: Flag, from environment: [String: String], into values: inout FlagValues) {
        let variable = environmentName(of: flag)
        guard !flag.has(.request), values.given[flag.name] == nil else { return }
        // A variable that is empty is one that is not set, as for other programs.
        guard let text = environment[variable], !text.isEmpty else { return }
        do throws(FlagError) {
            let texts = try flag.texts(of: text, in: variable)
            values.given[flag.name] = FlagValues.Setting(texts: texts, source: .environment(variable))
        } catch {
            values.note(error, about: [flag.name])
        }
    }

    /// Above every character: getopt_long() answers with a character for a mistake.
    private static let firstFlag: Int32 = 256

    private func read(_ arguments: [String], into values: inout FlagValues) throws(FlagError) {
        let names = flags.map { strdup($0.name) }
        var words = arguments.map { strdup($0) } + [nil]
        defer { for word in names + words { free(word) } }
        // Each flag has a value of its own. Otherwise getopt_long() takes an abbreviation of several for the first of
        // them.
        var options = flags.indices.map { index in
            option(
                name: names[index], has_arg: flags[index].value == nil ? no_argument : required_argument, flag: nil,
                val: Self.firstFlag + Int32(index))
        }
        options.append(option())
        cgetopt_reset()
        var argument: UnsafePointer<CChar>?
        while case let found = cgetopt_next(Int32(arguments.count), &words, options, &argument), found != -1 {
            guard found >= Self.firstFlag else { throw complaint(found, arguments[Int(cgetopt_place()) - 1]) }
            let flag = flags[Int(found - Self.firstFlag)]
            let earlier = values.given[flag.name]?.texts ?? []
            guard earlier.isEmpty || flag.value == nil || flag.has(.repeatable) else { throw .repeated(flag.name) }
            let texts = flag.texts(of: argument.map { String(cString: $0) } ?? "")
            guard !texts.isEmpty else {
                values.note(.missingValue(flag.name, flag.value ?? ""), about: [flag.name])
                continue
            }
            values.given[flag.name] = FlagValues.Setting(texts: earlier + texts, source: .commandLine)
        }
        values.operands = words[Int(cgetopt_place())..<arguments.count].map { String(cString: $0!) }
    }

    private func complaint(_ found: Int32, _ word: String) -> FlagError {
        let name = String(word.drop { $0 == "-" }.prefix { $0 != "=" })
        let candidates = flags.filter { $0.name.hasPrefix(name) }
        if found == Int32(UInt8(ascii: ":")), let flag = candidates.first {
            return .missingValue(flag.name, flag.value ?? "")
        }
        if candidates.contains(where: { $0.name == name && $0.value == nil }) { return .needlessValue(name) }
        if candidates.count > 1, !name.isEmpty { return .ambiguous(word) }
        return .unknown(word, nearest: nearest(to: name, among: flags.filter { !$0.has(.hidden) }))
    }

    /// Returns the flag whose name is at most three typing mistakes away, and at most half of its letters.
    func nearest(to name: String, among flags: [Flag]) -> String? {
        let distances = flags.map { ($0.name, editDistance(name, $0.name)) }
        guard let best = distances.min(by: { $0.1 < $1.1 }), best.1 <= min(3, best.0.count / 2) else { return nil }
        return best.0
    }
}

extension FlagValues {
    /// True when the other sources are read. Some requests have the same answer whatever the settings are.
    fileprivate var readsSettings: Bool {
        !["help", "version", "man", "completion"].contains { given[$0] != nil }
    }

    fileprivate func requests(_ flag: Flag) -> Bool {
        flag.has(.request) && given[flag.name] != nil
    }
}

extension Flag {
    /// Returns the values that a text holds: commas separate those of a flag that may be given several times. A text
    /// without any is a mistake, except for a switch.
    func texts(of text: String) -> [String] {
        if has(.repeatable) { return text.split(separator: /,\s*/).map(String.init) }
        return text.isEmpty && value != nil ? [] : [text]
    }

    fileprivate func texts(of text: String, in variable: String) throws(FlagError) -> [String] {
        if let value {
            let texts = texts(of: text)
            guard !texts.isEmpty else { throw .badVariable(variable, text, "must be \(value)") }
            return texts
        }
        switch text {
        case "1", "true": return [""]
        case "0", "false": return []
        default: throw .badVariable(variable, text, "must be 1 or 0")
        }
    }
}

/// Returns the number of letters to insert, delete or replace to turn one word into the other.
///
/// - Source: V. I. Levenshtein, "Binary codes capable of correcting deletions, insertions, and reversals", 1966.
func editDistance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (i, letter) in left.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for j in right.indices {
            let substitution = diagonal + (letter == right[j] ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(substitution, row[j] + 1, row[j + 1] + 1)
        }
    }
    return row[right.count]
}
