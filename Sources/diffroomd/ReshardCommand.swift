import ChatWire
import CommandLineFlags
import Foundation
import PostgresStore
import RoomStore

/// `diffroomd reshard`: moves rooms to the databases of another list.
enum ReshardCommand {
    static let program = Program(
        name: "diffroomd reshard", summary: "moves rooms to the databases of another list",
        flags: [
            Flag("store", "URL", "The databases, as the servers were given them so far.", .secret, .required),
            Flag("to", "URL", "The databases as the servers will be given them.", .secret, .required),
        ],
        notes: """
            For a database more or less. Stop all servers first; it refuses to begin while one runs, and none starts before
            it has ended. When it was interrupted, run it again with the same lists. Then start the servers with the new list.
            A new database must be empty.

            Exit status: 0 all rooms are where the new list says, 1 not yet, 2 the command line was wrong.
            """,
        section: 8)

    static func run() throws -> Never {
        let ((old, new), _) = program.begin(
            environment: ProcessInfo.processInfo.environment, version: diffroomVersion, of: diffroomd.program,
            understand: lists)
        let reshard = try Reshard(from: old, to: new)
        var (planned, moved) = (0, 0)
        while true {
            switch try reshard.step() {
            case .planned(let names):
                planned = names
                try Console.print("\(names) rooms and profiles to move")
            case .moved(0, _, _), .recorded: break
            case .moved(let names, let source, let target):
                moved += names
                try Console.print("\(moved) of \(planned): from \(source) to \(target)")
            case .done:
                Console.answer(
                    "all rooms are where the new list says: start the servers with it", by: program.name)
            }
        }
    }

    private static func lists(
        _ values: FlagValues
    ) throws(FlagError) -> (old: [PostgresAddress], new: [PostgresAddress]) {
        guard let old = values["store"], let new = values["to"] else { return ([], []) }
        return (try StorePlace.addresses(old, of: "store"), try StorePlace.addresses(new, of: "to"))
    }
}
