import ChatWire
import CommandLineFlags
import Foundation
import PostgresStore
import RoomStore

/// `diffroomd epoch`: begins a new epoch, so that every client starts with a snapshot.
enum EpochCommand {
    private static let program = Program(
        name: "diffroomd epoch", summary: "begins a new epoch in the databases of several servers",
        flags: [
            Flag("store", "URL", "The databases, as the servers are given them.", .secret)
        ],
        notes: """
            For after a backup was put in a database's place: what was committed after it is lost, and every client that saw
            it begins with a snapshot. Servers that run hear of it within a second. A promotion, or a recovery to a point in
            time, that lost what was acknowledged begins one by itself.
            """)

    /// Runs the command if the first argument is `epoch`, and ends the program.
    static func carryOut(_ arguments: [String]) {
        guard arguments.count > 1, arguments[1] == "epoch" else { return }
        let words = [program.name] + arguments.dropFirst(2)
        let (addresses, _) = program.begin(
            words, environment: ProcessInfo.processInfo.environment, version: diffroomVersion, of: diffroomd.program,
            understand: Self.addresses)
        do throws(RoomStoreError) {
            let lines = try addresses.map { (address) throws(RoomStoreError) in
                "\(address.place): epoch \(try PostgresStore.beginEpoch(at: address))"
            }
            Console.answer(lines.joined(separator: "\n"), by: program.name)
        } catch {
            fail(with: error)
        }
    }

    private static func addresses(_ values: FlagValues) throws(FlagError) -> [PostgresAddress] {
        guard values["store"] != nil, case .databases(let addresses) = try StorePlace(values) else {
            throw .missingValue("store", "URL")
        }
        return addresses
    }
}
