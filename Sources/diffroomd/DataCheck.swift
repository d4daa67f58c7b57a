import ChatWire
import CommandLineFlags
import Files
import Foundation
import PostgresStore
import RoomStore
import SQLiteStore
import StoreEngine

/// `diffroomd check`: recomputes the stored data of all rooms, and repairs it.
enum DataCheck {
    static let program = Program(
        name: "diffroomd check",
        summary: "recomputes all that the rooms' operations decide, reports faults, and repairs them",
        flags: [
            Flag("data", "FILE", "The rooms' file.", default: "./diffroom.db", .file),
            Flag("store", "URL", "The databases of several servers, as those are given them.", .secret),
            Flag(
                "files", "PLACE",
                "The place of the files that messages have: a folder, whose checksums are computed, or s3://BUCKET/PREFIX,\n"
                    + "whose checksums the store has kept.", .file),
        ] + FilePlace.bucketFlags + [
            Flag("repair", "Repair all that the operations decide. No server may run.", .request)
        ],
        notes: """
            Every page and every row is read. Members, settings, standings, mentions, counts, rules, activity, messages and
            deletions are computed again from the stored operations, and compared. Without --repair it changes nothing, and
            servers may run.

            With --repair each room is put right in one transaction, so that it can be killed at any time. It says what it
            did, and what it could not know: a read mark is in no operation, and operations that retention has forgotten
            decide nothing. Make a backup first.

            Exit status: 0 nothing is wrong any more, 1 something is or the data cannot be read, 2 the command line was
            wrong.
            """,
        section: 8
    )

    static func run() throws -> Never {
        let (options, _) = program.begin(
            environment: ProcessInfo.processInfo.environment, version: diffroomVersion, of: diffroomd.program,
            understand: { values throws(FlagError) in
                (place: try StorePlace(values), files: try FilePlace(values), repair: values.isOn("repair"))
            })
        if options.repair {
            let report = try repair(options.place)
            let remaining = report.remaining + (try options.files.map { try check($0, of: options.place) } ?? 0)
            fflush(nil)
            let text = "\(report.repaired) faults were repaired, and \(remaining) remain"
            guard remaining == 0 else { fail(with: RepairFailure(text: "\(options.place): \(text)")) }
            Console.answer("\(options.place): \(text)", by: program.name)
        }
        let faults = try check(options.place) + (options.files.map { try check($0, of: options.place) } ?? 0)
        guard faults == 0 else { exit(1) }
        Console.answer("\(options.place): nothing is wrong", by: program.name)
    }

    private struct RepairFailure: Error, CustomStringConvertible {
        let text: String
        var description: String { text }
    }

    private static func check(_ place: StorePlace) throws -> Int {
        switch place {
        case .file(let path): return try StoreCheck.check(path) { print($0) }
        case .databases(let addresses):
            return try addresses.reduce(0) { try $0 + PostgresStore.check(at: $1) { print($0) } }
        }
    }

    /// Checks that each file that a message has is there, as it was uploaded.
    private static func check(_ files: FilePlace, of place: StorePlace) throws -> Int {
        let keeper = try files.openExisting()
        var faults = 0
        func visit(_ room: RoomName, _ message: MessageID, _ files: [Attachment]) {
            for file in files {
                let fault: String?
                do throws(FileFault) { fault = try keeper.fault(of: file, of: message, in: room) } catch {
                    fault = "\(error)"
                }
                guard let fault else { continue }
                print("room \(room): file \(file.id) of message \(message) \(fault)")
                faults += 1
            }
        }
        switch place {
        case .file(let path): try StoreCheck.visitFiles(path, visit: visit)
        case .databases(let addresses):
            for address in addresses { try PostgresStore.visitFiles(at: address, visit: visit) }
        }
        return faults
    }

    private static func repair(_ place: StorePlace) throws -> RepairReport {
        switch place {
        case .file(let path): return try StoreCheck.repair(path) { print($0) }
        case .databases(let addresses):
            return try addresses.reduce(into: RepairReport()) { report, address in
                try PostgresStore.repair(at: address, into: &report) { print($0) }
            }
        }
    }
}
