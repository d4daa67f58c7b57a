/// The work of one run of the program.
enum Plan: Equatable {
    /// These schedules, a hundredth as many with each fault, and as many histories of absences.
    case campaign(Range<UInt64>)
    /// One schedule, with a fault if one is named.
    case schedule(UInt64, Sabotage?, isTold: Bool)
    /// These histories of absences, and no schedules.
    case histories(Range<UInt64>)

    init(arguments: [String], environment: [String: String]) throws(PlanError) {
        let history = environment["HISTORY"]
        let seed = history == nil ? environment["SEED"] : nil
        let most = history != nil ? 1 : seed != nil ? 0 : 2
        guard arguments.count <= most else { throw .operands(found: arguments.count, most: most) }
        for name in ["SABOTAGE", "TELL"] where seed == nil && environment[name] != nil { throw .withoutSeed(name) }
        var numbers: [UInt64] = []
        for argument in arguments { numbers.append(try Self.number(argument, of: "an argument")) }
        if let history {
            self = .histories(try Self.seeds(numbers.first ?? 1, from: Self.number(history, of: "HISTORY")))
        } else if let seed {
            let sabotage = try Self.sabotage(environment["SABOTAGE"])
            self = .schedule(try Self.number(seed, of: "SEED"), sabotage, isTold: environment["TELL"] != nil)
        } else {
            self = .campaign(try Self.seeds(numbers.first ?? 10_000, from: numbers.dropFirst().first ?? 1))
        }
    }

    private static func number(_ text: String, of name: String) throws(PlanError) -> UInt64 {
        guard let number = UInt64(text) else { throw .notANumber(text, of: name) }
        return number
    }

    private static func seeds(_ count: UInt64, from first: UInt64) throws(PlanError) -> Range<UInt64> {
        let (end, overflows) = first.addingReportingOverflow(count)
        guard !overflows, Int(exactly: count) != nil else { throw .tooFar(first, count) }
        return first..<end
    }

    private static func sabotage(_ name: String?) throws(PlanError) -> Sabotage? {
        guard let name else { return nil }
        guard let sabotage = Sabotage.allCases.first(where: { "\($0)" == name }) else { throw .noSabotage(name) }
        return sabotage
    }
}

/// A mistake in the arguments or the environment, and its remedy.
enum PlanError: Error, Equatable, CustomStringConvertible {
    case notANumber(String, of: String)
    case noSabotage(String)
    case withoutSeed(String)
    case operands(found: Int, most: Int)
    case tooFar(UInt64, UInt64)

    var description: String {
        switch self {
        case .notANumber(let text, let name): "\(name): '\(text)' is not a whole number"
        case .noSabotage(let name):
            "SABOTAGE: there is no '\(name)'; there are \(Sabotage.allCases.map { "\($0)" }.joined(separator: ", "))"
        case .withoutSeed(let name): "\(name) is for one schedule: name it by SEED=N"
        case .operands(let found, let most): "\(found) arguments given; at most \(most) are taken here"
        case .tooFar(let first, let count): "there are not \(count) seeds from \(first) on"
        }
    }
}
