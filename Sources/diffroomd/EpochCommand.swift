import ChatWire
import CommandLineFlags
import Foundation
import PostgresStore

/// `diffroomd epoch`: begins a new epoch, so that every client starts with a snapshot.
enum EpochCommand {
    static let program = Program(
        name: "diffroomd epoch", summary: "begins a new epoch in the databases of several servers",
        flags: [
            Flag("store", "URL", "The databases, as the servers are given them.", .secret, .required)
        ],
        notes: """
            For after a backup was put in a database's place: what was committed after it is lost, and every client that saw
            it begins with a snapshot. Servers that run hear of it within a second. A promotion, or a recovery to a point in
            time, that lost what was acknowledged begins one by itself.
            """,
        section: 8)

    static func run() throws -> Never {
        let (addresses, _) = program.begin(
            environment: ProcessInfo.processInfo.environment, version: diffroomVersion, of: diffroomd.program,
            understand: Self.addresses)
        let lines = try addresses.map { address in
            let (epoch, host) = try PostgresStore.beginEpoch(at: address)
            return "\(address.place): epoch \(epoch), begun on \(host)"
        }
        Console.answer(lines.joined(separator: "\n"), by: program.name)
    }

    private static func addresses(_ values: FlagValues) throws(FlagError) -> [PostgresAddress] {
        guard values["store"] != nil, case .databases(let addresses) = try StorePlace(values) else { return [] }
        return addresses
    }
}
