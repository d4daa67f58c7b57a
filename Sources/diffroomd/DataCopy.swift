import ChatWire
import CommandLineFlags
import Foundation
import SQLiteStore

/// Copies the data file without serving it: `diffroomd backup` and `diffroomd restore`.
enum DataCopy: String {
    case backup
    case restore

    var program: Program {
        Program(
            name: "diffroomd \(rawValue)", summary: summary, flags: [data, copy], notes: notes, section: 8)
    }

    private var data: Flag {
        Flag("data", "FILE", "The rooms' file.", default: "./diffroom.db", .file)
    }

    private var copy: Flag {
        switch self {
        case .backup: Flag("to", "FILE", "The backup. There must be nothing yet.", .file, .required)
        case .restore: Flag("from", "FILE", "The backup.", .file, .required)
        }
    }

    private var summary: String {
        switch self {
        case .backup: "copies the rooms' file, also while it is served"
        case .restore: "puts a backup where the server will find it"
        }
    }

    private var notes: String {
        switch self {
        case .backup:
            """
            Everything that was acknowledged before the start is in the backup. It appears under its name when it is
            complete, was read from end to end, and is on the disk.
            """
        case .restore:
            """
            End the server first and move its data away: FILE, FILE-wal and FILE-shm. What was committed after the backup
            is lost; clients that saw it notice by the new epoch, and begin with a snapshot.
            """
        }
    }

    /// Copies the file and ends the program.
    func run() throws -> Never {
        let (files, _) = program.begin(
            environment: ProcessInfo.processInfo.environment, version: diffroomVersion, of: diffroomd.program,
            understand: files)
        let report =
            switch self {
            case .backup: try StoreCopy.backup(of: files.data, to: files.copy)
            case .restore: try StoreCopy.restore(files.copy, to: files.data)
            }
        let made = self == .backup ? files.copy : files.data
        Console.answer("\(made): \(report.bytes) bytes, epoch \(report.epoch)", by: program.name)
    }

    private func files(_ values: FlagValues) -> (data: String, copy: String) {
        (values["data"] ?? "", values[copy.name] ?? "")
    }
}
