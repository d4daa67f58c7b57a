import ChatWire
import Glibc
import Locking
import RoomStore

/// A record of the data's progress beside it, in `PATH.control`. The next server to open the data sees from it whether
/// anything acknowledged is missing, whatever happened to the log.
///
/// A commit is noted after the disk has it and before any client is notified, by one system call that waits for no disk. So
/// the note is never ahead of the data. A killed process leaves the newest note; a power cut may leave an earlier one.
final class ControlFile: Sendable {
    private let descriptor: Int32
    private let record: Guarded<ControlRecord>
    /// The last server's record; `nil` if there is no valid one.
    let found: ControlRecord?

    static func path(for data: String) -> String { data + ".control" }

    /// - Parameter data: without symbolic links.
    init(for data: String) throws(RoomStoreError) {
        let name = Self.path(for: data)
        descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw RoomStoreError(opening: name, errno: errno) }
        var bytes = [UInt8](repeating: 0, count: ControlRecord.size)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        found = ControlRecord(bytes: bytes.prefix(max(0, count)))
        record = Guarded(found ?? ControlRecord())
    }

    deinit {
        close(descriptor)
    }

    /// Notes on the disk that a session is about to begin. From now on the data may name that session.
    func prepare(_ session: Int64) throws(RoomStoreError) {
        try change { $0.next = session }
        try synchronize()
    }

    /// Synchronises the notes with the disk.
    func synchronize() throws(RoomStoreError) {
        guard fdatasync(descriptor) == 0 else { throw failure }
    }

    /// Notes that the data names the session.
    func begin(_ session: Int64, _ history: Continuation) throws(RoomStoreError) {
        try change {
            $0.session = session
            if history == .anew { ($0.room, $0.revision) = (0, 0) }
        }
        try synchronize()
    }

    enum Continuation {
        /// The history continues.
        case goesOn
        /// The history is lost, and its epoch with it.
        case anew
    }

    /// Notes the last commit, by the revision of one of its rooms.
    ///
    /// Revisions only grow, and a log that lost its end has lost the last commit.
    func reached(_ revision: Revision, in room: Int64) throws(RoomStoreError) {
        try change {
            $0.room = room
            $0.revision = revision
        }
    }

    /// Notes whether pages of the log are being copied into the file. Until all are there, the file is not whole
    /// without its log.
    func copying(_ state: ControlRecord.Copying) throws(RoomStoreError) {
        try change { $0.copying = state }
    }

    private func change(_ body: (inout ControlRecord) -> Void) throws(RoomStoreError) {
        let isWritten = record.withLock { record in
            body(&record)
            let bytes = record.bytes
            return pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
        }
        guard isWritten else { throw failure }
    }

    private var failure: RoomStoreError {
        .unavailable("what the data has reached cannot be noted beside it: \(String(cString: strerror(errno)))")
    }
}
