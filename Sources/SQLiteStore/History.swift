import ChatWire
import Glibc
import RoomStore

/// The history in a file: its epoch, and whether all of it is there.
///
/// The data itself holds the session number of the server that has it open, and 0 after an orderly close. The
/// ``ControlFile`` holds the data's progress. If the two do not fit together, acknowledged operations are missing, and
/// their revisions would be assigned again. Then the history ends, and a new one begins.
struct History {
    let epoch: Epoch
    /// The notices for the operator.
    let notices: [String]

    /// Opens the history. From now on the data names this server's session.
    ///
    /// - Parameters:
    ///   - connection: to a file in the latest format, with its log as it was found.
    ///   - log: whether there was a log before the file was opened.
    static func begin(
        _ connection: borrowing Connection, _ control: ControlFile, log: LogPresence
    ) throws(RoomStoreError) -> History {
        let loss = try loss(in: connection, control.found, log: log)
        let damage = try damage(in: connection)
        let session = Int64.random(in: 1...Int64.max)
        try control.prepare(session)
        try connection.transaction(.writing) { () throws(RoomStoreError) in
            try connection.execute("UPDATE store SET session = \(session)")
            if loss != nil { try connection.execute("UPDATE store SET epoch = '\(UniqueID.random())'") }
        }
        // Write the session into the file itself, so that a copy without the log shows that it is incomplete.
        _ = try connection.copyLog(.passive, noting: control)
        try control.begin(session, loss == nil ? .goesOn : .anew)
        let lost = loss.map { "\($0): what was acknowledged is missing, so a new epoch begins, and clients start over" }
        return History(epoch: try connection.epoch(), notices: [damage, lost].compactMap(\.self))
    }

    /// Closes the history: copies the whole log into the file and marks the file as complete.
    ///
    /// - Errors: the reason why the log could not be copied, such as another program that reads. The log is then still
    ///   needed.
    static func end(_ connection: borrowing Connection, _ control: ControlFile) throws(RoomStoreError) {
        try connection.transaction(.writing) { () throws(RoomStoreError) in
            try connection.execute("UPDATE store SET session = 0")
        }
        guard try connection.copyLog(.all, noting: control) == .all else {
            throw .unavailable(
                "another program reads \(RoomStoreError.path(of: connection.handle)): its log stays, and belongs to it")
        }
        // The last program to close the file removes the log. The note that it is not needed must be on the disk by
        // then.
        try control.synchronize()
    }

    /// The largest file that is checked as a whole at the start, after a server that did not close it, in bytes.
    private static let affordable: Int64 = 64 << 20

    /// Describes damage to the file's pages. Rooms on other pages can still be served.
    private static func damage(in connection: borrowing Connection) throws(RoomStoreError) -> String? {
        let size = try connection.number("PRAGMA page_count") * connection.number("PRAGMA page_size")
        guard size <= affordable, try connection.number("SELECT session FROM store") != 0 else { return nil }
        let verdict = try Statement("PRAGMA quick_check(1)", on: connection).first { (row) throws(RoomStoreError) in
            try row.text(0)
        }
        guard verdict != "ok" else { return nil }
        return "the file is damaged (\(verdict ?? "it cannot be read")): put a backup in its place"
    }

    /// Describes what is missing; `nil` if everything is there.
    private static func loss(
        in connection: borrowing Connection, _ record: ControlRecord?, log: LogPresence
    ) throws(RoomStoreError) -> String? {
        let session = try connection.number("SELECT session FROM store")
        let path = RoomStoreError.path(of: connection.handle)
        guard let record else {
            guard session != 0 else { return nil }
            let control = ControlFile.path(for: path)
            return "it was served when it was copied or its server ended, and \(control) does not say how far it was"
        }
        if session != 0, session != record.session, session != record.next {
            return "it is a copy of data that was being served, beside the notes about other data"
        }
        if record.copying == .underWay, log == .missing {
            return "its log is gone, which was being copied into it"
        }
        let room = try Statement("SELECT name, revision FROM rooms WHERE id = ?1", on: connection)
        room.bind(1, record.room)
        let found = try room.first { (row) throws(RoomStoreError) in
            (name: try row.text(0), revision: try row.revision(1))
        }
        guard record.revision > found?.revision ?? 0 else { return nil }
        guard let found else { return "a room is missing that had reached revision \(record.revision)" }
        return "room \(found.name) had reached revision \(record.revision), and only \(found.revision) is there"
    }
}

/// The presence of a log beside a file.
enum LogPresence {
    case missing
    case present

    init(of path: String) {
        var status = stat()
        self = stat(path + "-wal", &status) == 0 && status.st_size > 0 ? .present : .missing
    }
}
