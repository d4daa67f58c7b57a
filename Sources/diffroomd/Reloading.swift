import ChatServer
import ChatWire
import CommandLineFlags
import Foundation

/// Reloads the configuration while the server runs, and applies the settings that can change.
///
/// These settings are the flags with ``Flag/Trait/live``.
struct Reloading {
    private let first: FlagValues
    private var last: FlagValues
    private let log: ServerLog
    /// The parts of the program that take over new options and reload the files that they name.
    ///
    /// Each hook runs at every reload, whatever has changed.
    private let hooks: [(Options) throws -> Void]

    init(_ values: FlagValues, log: ServerLog, hooks: [(Options) throws -> Void]) {
        (first, last) = (values, values)
        self.log = log
        self.hooks = hooks
    }

    /// Reloads. Wrong settings change nothing. A setting that needs a restart keeps its value and is reported.
    mutating func reload() {
        switch Options.read() {
        case .refused(let errors):
            for error in errors { log(.error, "not reloaded", ["why": "\(error)"]) }
        case .answer:
            preconditionFailure("the command line asked for the server when it started")
        case .run(let options, let new):
            for hook in hooks {
                do { try hook(options) } catch { log(.error, "not reloaded in part", ["why": "\(error)"]) }
            }
            logChanges(new)
            last = new
        }
    }

    private func logChanges(_ new: FlagValues) {
        let taken = new.changes(from: last).filter { $0.has(.live) }.map(\.name).joined(separator: ", ")
        let late = new.changes(from: first).filter { !$0.has(.live) }.map(\.name).joined(separator: ", ")
        log(.info, "reloaded", ["changed": taken.isEmpty ? "nothing" : taken])
        if !late.isEmpty { log(.warning, "these settings need a restart", ["changed": late]) }
    }
}

extension Options {
    /// Reads the command line, the environment and the file.
    static func read() -> Invocation<Options> {
        program.invocation(
            ProcessArguments.all, environment: ProcessInfo.processInfo.environment, version: diffroomVersion,
            understand: Options.init)
    }
}
