import ChatWire
import Dispatch
import JSON
import Locking
import RoomStore

/// The backups that an operator asks for, one at a time.
final class Backups: Sendable {
    private enum State: Sendable {
        case none
        case running
        case done(Backup)
        case failed(String)
    }

    private let state = Guarded(State.none)
    private let queue = DispatchQueue(label: "diffroom.backup", qos: .utility)

    /// Begins a backup and returns.
    ///
    /// - Throws: `conflict` while one is under way.
    func begin(
        _ copy: @escaping @Sendable () -> Result<Backup, RoomStoreError>, log: ServerLog
    ) throws(WireError) {
        let begins = state.withLock { state in
            if case .running = state { return false }
            state = .running
            return true
        }
        guard begins else { throw WireError(.backupRunning, "a backup is under way: wait for its end") }
        queue.async { [self] in
            switch copy() {
            case .success(let backup):
                state.withLock { $0 = .done(backup) }
                log(.info, "backup made", ["file": backup.file, "bytes": "\(backup.bytes)"])
            case .failure(let error):
                state.withLock { $0 = .failed("\(error)") }
                log(.error, "backup failed", ["why": "\(error)"])
            }
        }
    }

    /// Writes the state of the last backup.
    func write(to json: inout JSONWriter) {
        switch state.withLock({ $0 }) {
        case .none: json.string("state", "none")
        case .running: json.string("state", "running")
        case .done(let backup):
            json.string("state", "done")
            json.string("file", backup.file)
            json.number("bytes", backup.bytes)
        case .failed(let why):
            json.string("state", "failed")
            json.string("why", why)
        }
    }
}
