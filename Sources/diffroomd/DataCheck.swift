import ChatWire
import CommandLineFlags
import Foundation
import SQLiteStore

/// `diffroomd check`: reads the whole data file and checks it.
enum DataCheck {
    static let program = Program(
        name: "diffroomd check",
        summary: "reads all of the rooms' file, also while it is served, and says what is wrong",
        flags: [Flag("data", "FILE", "The rooms' file.", default: "./diffroom.db", .file)],
        notes: """
            Every page and every row is read, and the tables are held against each other. It changes nothing of what is
            in the data.

            Exit status: 0 nothing is wrong, 1 something is or the file cannot be read, 2 the command line was wrong.
            """,
        section: 8
    )

    static func carryOut() throws -> Never {
        let (data, _) = program.begin(
            environment: ProcessInfo.processInfo.environment, version: diffroomVersion, of: diffroomd.program,
            understand: { values throws(FlagError) in values["data"] ?? "" })
        let problems = try StoreCheck.check(data) { print($0) }
        guard problems == 0 else { exit(1) }
        Console.answer("\(data): nothing is wrong", by: program.name)
    }
}
