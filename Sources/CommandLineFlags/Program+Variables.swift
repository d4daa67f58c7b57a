extension Program {
    /// Refuses variables with the program's prefix that no program reads. A typing mistake would otherwise go
    /// unnoticed.
    ///
    /// - Parameter parent: the program that this is a subcommand of; each accepts the variables of both.
    func refuseStrangers(_ environment: [String: String], of parent: Program?, in values: inout FlagValues) {
        let family = parent ?? self
        let relatives = [family] + family.subcommands.map(\.program)
        let known = Set(relatives.flatMap(\.variables))
        let strangers = environment.keys.filter { name in
            name.hasPrefix(family.environmentPrefix + "_") && !known.contains(name) && !Self.isServiceLink(name)
                && !family.neighbours.longer.contains { name.hasPrefix($0 + "_") }
        }
        let meant = strangers.sorted().map { name in
            let nearest = known.map { ($0, editDistance(name, $0)) }.min { $0.1 < $1.1 }
            return (name, nearest.flatMap { $0.1 <= 3 ? $0.0 : nil })
        }
        for (name, nearest) in meant + family.mistaken(environment) {
            let flags = flags.filter { environmentName(of: $0) == nearest }
            values.note(.unknownVariable(name, nearest: nearest), about: flags.map(\.name))
        }
    }

    private var variables: [String] {
        flags.filter { !$0.has(.request) }.map(environmentName) + neighbours.variables
    }

    /// Returns the settings of this program that stand under another program's prefix, each with its right name.
    private func mistaken(_ environment: [String: String]) -> [(String, String?)] {
        guard let prefix = neighbours.mistaken else { return [] }
        // The flags that every program has belong to the other one.
        let own = flags.filter { flag in !flag.has(.request) && !Flag.common.contains { $0.name == flag.name } }
        return own.compactMap { flag in
            let right = environmentName(of: flag)
            let wrong = prefix + right.dropFirst(environmentPrefix.count)
            return environment[wrong] == nil ? nil : (wrong, right)
        }
    }

    /// Returns whether Kubernetes adds such a variable to every container for a service with the program's name.
    ///
    /// - Source: Kubernetes, "Service", environment variables.
    private static func isServiceLink(_ name: String) -> Bool {
        let shape = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/
        return name.firstMatch(of: shape) != nil
    }
}
