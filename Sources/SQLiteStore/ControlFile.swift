import ChatWire
import Glibc
import Locking
import RoomStore

/// What the data had reached, kept beside it in `PATH.control`: whoever opens the data next sees whether anything that was
/// acknowledged is missing, whatever became of the log.
///
/// A commit is noted after the disk has it and before anybody is told, in one call to the system that waits for no disk.
/// So what is noted is never ahead of the data: not after a killed process, which leaves the newest note, nor after a
/// power cut, which may leave an earlier one.
final class ControlFile: Sendable {
    private let descriptor: Int32
    private let record: Guarded<ControlRecord>
    /// What the last server left; `nil` if there is nothing that makes sense.
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

    /// Notes that a session begins, on the disk: the data may say from now on that it belongs to it.
    func prepare(_ session: Int64) throws(RoomStoreError) {
        try change { $0.next = session }
        try synchronize()
    }

    /// Puts on the disk what was noted.
    func synchronize() throws(RoomStoreError) {
        guard fdatasync(descriptor) == 0 else { throw failure }
    }

    /// Notes that the data says so.
    func begin(_ session: Int64, _ history: Continuation) throws(RoomStoreError) {
        try change {
            $0.session = session
            if history == .anew { ($0.room, $0.revision) = (0, 0) }
        }
        try synchronize()
    }

    enum Continuation {
        /// What was reached is reached.
        case goesOn
        /// What was reached is gone, with its epoch.
        case anew
    }

    /// Notes the last commit, by the revision that one of its rooms got: they only grow, and a log that lost its end has
    /// lost the last commit.
    func reached(_ revision: Revision, in room: Int64) throws(RoomStoreError) {
        try change {
            $0.room = room
            $0.revision = revision
        }
    }

    /// Notes whether pages of the log are on their way into the file: until they are all there, that is not whole without
    /// its log.
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
