extension Program {
    /// Refuses variables that look like the program's and that nobody reads: a typing mistake would be silence.
    ///
    /// - Parameter parent: the program that this is a subcommand of; the variables of both are known to both.
    /// - Throws: all of them at once.
    func refuseStrangers(_ environment: [String: String], of parent: Program?) throws(FlagError) {
        let family = parent ?? self
        let relatives = [family] + family.subcommands
        let known = Set(relatives.flatMap(\.variables))
        let strangers = environment.keys.filter { name in
            name.hasPrefix(family.environmentPrefix + "_") && !known.contains(name) && !Self.isServiceLink(name)
                && !family.neighbours.longer.contains { name.hasPrefix($0 + "_") }
        }
        var errors = strangers.sorted().map { name -> FlagError in
            let nearest = known.map { ($0, editDistance(name, $0)) }.min { $0.1 < $1.1 }
            return .unknownVariable(name, nearest: nearest.flatMap { $0.1 <= 3 ? $0.0 : nil })
        }
        errors += family.mistaken(environment)
        if errors.count == 1 { throw errors[0] }
        if !errors.isEmpty { throw .several(errors) }
    }

    private var variables: [String] {
        flags.filter { !$0.has(.request) }.map(environmentName) + neighbours.variables
    }

    /// Settings of this program that stand in the environment under the other one's prefix.
    private func mistaken(_ environment: [String: String]) -> [FlagError] {
        guard let prefix = neighbours.mistaken else { return [] }
        // What every program has is the other one's.
        let own = flags.filter { flag in !flag.has(.request) && !Flag.common.contains { $0.name == flag.name } }
        return own.compactMap { flag in
            let right = environmentName(of: flag)
            let wrong = prefix + right.dropFirst(environmentPrefix.count)
            return environment[wrong] == nil ? nil : .unknownVariable(wrong, nearest: right)
        }
    }

    /// Whether Kubernetes puts such a variable into every container, for a service that is called like the program.
    ///
    /// - Source: Kubernetes, "Service", environment variables.
    private static func isServiceLink(_ name: String) -> Bool {
        let shape = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/
        return name.firstMatch(of: shape) != nil
    }
}
