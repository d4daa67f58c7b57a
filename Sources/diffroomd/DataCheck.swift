import ChatWire
import CommandLineFlags
import Foundation
import RoomStore
import SQLiteStore

/// `diffroomd check`: reads the whole data file and checks it.
struct DataCheck {
    private static let program = Program(
        name: "diffroomd check",
        summary: "reads all of the rooms' file, also while it is served, and says what is wrong",
        flags: [Flag("data", "FILE", "The rooms' file.", default: "./diffroom.db")],
        notes: """
            Every page and every row is read, and the tables are held against each other. It changes nothing of what is
            in the data.

            Exit status: 0 nothing is wrong, 1 something is or the file cannot be read, 2 the command line was wrong.
            """
    )

    /// `nil` unless the first argument is `check`.
    init?(_ arguments: [String]) {
        guard arguments.dropFirst().first == "check" else { return nil }
    }

    func carryOut() -> Never {
        let words = [Self.program.name] + ProcessArguments.all.dropFirst(2)
        let (data, _) = Self.program.begin(
            words, environment: ProcessInfo.processInfo.environment, version: diffroomVersion, of: diffroomd.program,
            understand: { values throws(FlagError) in values["data"] ?? "" })
        do throws(RoomStoreError) {
            let problems = try StoreCheck.check(data) { print($0) }
            guard problems == 0 else { exit(1) }
            Console.answer("\(data): nothing is wrong", by: Self.program.name)
        } catch {
            Console.complain("diffroomd: \(error)")
            exit(1)
        }
    }
}
