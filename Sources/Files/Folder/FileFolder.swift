package import ChatWire
import Foundation
import Locking
import Tokens

/// Keeps the files of messages in a folder, each as it was uploaded.
///
/// ```
/// key                                  the secret of the server's tickets
/// rooms/=lobby/MESSAGE/FILE            the bytes of a whole file
/// rooms/=lobby/MESSAGE/FILE.part       what has come of one
/// rooms/=lobby/MESSAGE/FILE.json       who has uploaded it, its name, type, size and checksum
/// rooms/=lobby/MESSAGE/FILE.lost       since when no message has it
/// ```
///
/// A file is whole from its renaming on, when its bytes are on disk and have the checksum that was announced. Servers may share a
/// folder: they then share the key, and each counts toward its quotas what it has found and written.
///
/// All functions may be called from any thread, and wait for the disk.
package final class FileFolder: FileKeeper {
    package let tickets: FileTickets
    package let limits: FileLimits
    private let rooms: String
    private let state = Guarded(State())

    private struct State: Sendable {
        var usage = FileUsage()
        /// The bytes that were added since the present sweep began.
        var added = FileUsage()
        /// True once a sweep has counted all files.
        var isCounted = false

        mutating func add(_ bytes: Int, to stored: StoredFile) {
            usage.add(bytes, of: stored.user, in: stored.place.room)
            added.add(bytes, of: stored.user, in: stored.place.room)
        }
    }

    /// The time for which a file without a message is kept: longer than a message may come for it.
    private static let keepTime = FileTickets.sendTime + 3_600_000
    /// The time for which no message may have been there for a file. A server that was started with other data, or with
    /// older data, by mistake, finds no messages, and removes nothing if it ends before.
    private static let doubtTime = 24 * 3_600_000 as Milliseconds

    /// Opens a folder, and makes it if it is not there.
    package init(path: String, limits: FileLimits) throws(FileFault) {
        self.limits = limits
        rooms = path + "/rooms"
        try DiskFolder.make(rooms)
        tickets = FileTickets(Signer(secret: try Self.key(path + "/key")))
    }

    /// Opens a folder that is there, to look at it.
    package convenience init(existing path: String) throws(FileFault) {
        guard try DiskFile.size(path + "/rooms") != nil else {
            throw FileFault("\(path) is no folder of files: it has no folder rooms")
        }
        try self.init(path: path, limits: FileLimits())
    }

    private static func key(_ path: String) throws(FileFault) -> [UInt8] {
        if let secret = try DiskFile.read(path) {
            guard secret.count >= 32 else {
                throw FileFault(
                    "\(path) has \(secret.count) bytes, must have 32 or more: remove it, and links made so far end")
            }
            return secret
        }
        let secret = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        // Another server on the folder may be making its own at this moment: the first one stays.
        try DiskFile.create(path, secret)
        return try DiskFile.read(path) ?? secret
    }

    package var target: UploadTarget { .folder(self) }

    package var origin: String? { nil }

    private func folder(of message: MessageID, in room: RoomName) -> String {
        "\(rooms)/\(room.segment)/\(message)"
    }

    private func path(of place: StoredFile.Place) -> String {
        "\(folder(of: place.message, in: place.room))/\(place.id)"
    }

    // MARK: - Uploads

    /// Allows an upload. It is counted when its bytes come.
    package func permit(
        _ request: UploadRequest, by user: UserName, at time: Milliseconds
    ) throws(FileRefusal) -> UploadPermit {
        tickets.permit(request, by: user, at: time)
    }

    /// Returns whether all of an upload is there, checked and on disk.
    package func isWhole(_ upload: Upload) throws(FileFault) -> Bool {
        try DiskFile.size(path(of: upload.place)) != nil
    }

    /// The bytes of an upload that need not be sent again. The last one must be, until the file is whole: with it the file is
    /// checked.
    package func count(of upload: Upload) throws(FileFault) -> Int {
        let path = path(of: upload.place)
        if try DiskFile.size(path) != nil { return upload.file.size }
        return min(try DiskFile.size(path + ".part") ?? 0, upload.file.size - 1)
    }

    /// Opens a file for the bytes that are missing of it. ``finish(_:_:)`` or ``end(_:_:)`` must follow.
    ///
    /// - Throws: ``FileRefusal`` for an upload that may not go on there or now.
    package func begin(_ upload: Upload, at offset: Int) throws -> DiskFile {
        let (path, count) = (path(of: upload.place), try count(of: upload))
        guard offset == count else { throw FileRefusal.otherOffset(count) }
        let stored = upload.stored
        try reserve(stored, upload.file.size - count)
        do {
            try DiskFolder.make(folder(of: upload.place.message, in: upload.place.room))
            try DiskFile.create(path + ".json", stored.json)
            let file = try DiskFile(writing: path + ".part")
            guard file.lock() else { throw FileRefusal.isWritten }
            let found = min(try file.size, upload.file.size - 1)
            guard found == offset else { throw FileRefusal.otherOffset(found) }
            return file
        } catch {
            state.withLock { $0.add(-(upload.file.size - count), to: stored) }
            throw error
        }
    }

    private func reserve(_ stored: StoredFile, _ bytes: Int) throws(FileRefusal) {
        try state.withLock { state throws(FileRefusal) in
            if let refusal = state.usage.refusal(of: stored, bytes, limits) { throw refusal }
            state.add(bytes, to: stored)
        }
    }

    /// Ends a piece of an upload. With the last piece the file is whole, and on disk when this returns.
    ///
    /// - Returns: the bytes that are there.
    /// - Throws: ``FileRefusal/otherChecksum(_:)``; the bytes are removed then.
    package func finish(_ upload: Upload, _ file: DiskFile) throws -> Int {
        let (path, count) = (path(of: upload.place), try file.size)
        guard count >= upload.file.size else {
            end(upload, file)
            return count
        }
        let found = Signer.sha256(ofFile: file.descriptor)
        guard count == upload.file.size, found == upload.file.sha256 else {
            try remove(upload.place.id, in: folder(of: upload.place.message, in: upload.place.room))
            throw FileRefusal.otherChecksum(found ?? "unreadable")
        }
        try file.synchronize()
        guard try DiskFile.rename(path + ".part", to: path) else { throw FileRefusal.isGone }
        try DiskFolder.synchronize(folder(of: upload.place.message, in: upload.place.room), upTo: rooms)
        return count
    }

    /// Ends an upload that is not whole: what has come stays, and what has not counts no more.
    package func end(_ upload: Upload, _ file: DiskFile) {
        let stored = upload.stored
        let missing = upload.file.size - min((try? file.size) ?? 0, upload.file.size)
        state.withLock { $0.add(-missing, to: stored) }
    }

    /// True if the disk has less than 1 MB of free space.
    package var isFull: Bool { DiskFolder.free(rooms).map { $0 < 1 << 20 } ?? false }

    // MARK: - Downloads

    package func find(
        _ place: StoredFile.Place, for use: FileUse, at time: Milliseconds
    ) throws(FileFault) -> KeptFile? {
        try open(place).map { .here($0, $1) }
    }

    /// Opens a whole file; `nil` if there is none.
    package func open(_ place: StoredFile.Place) throws(FileFault) -> (StoredFile, DiskFile)? {
        let path = path(of: place)
        guard let json = try DiskFile.read(path + ".json"), let stored = StoredFile(json: json), stored.place == place,
            let file = try DiskFile(reading: path)
        else { return nil }
        return (stored, file)
    }

    /// - Complexity: O(bytes of the file).
    package func fault(of file: Attachment, of message: MessageID, in room: RoomName) throws(FileFault) -> String? {
        let path = path(of: StoredFile.Place(room: room, message: message, id: file.id))
        guard let kept = try DiskFile(reading: path) else { return "is not in the folder" }
        let size = try kept.size
        guard size == file.file.size else { return "has \(size) bytes, must have \(file.file.size)" }
        guard Signer.sha256(ofFile: kept.descriptor) == file.file.sha256 else {
            return "has other bytes than were uploaded"
        }
        return try description(path) == nil ? "has no description beside it: \(path).json" : nil
    }

    // MARK: - Removing

    package func removeFiles(of message: MessageID, in room: RoomName) throws(FileFault) {
        let folder = folder(of: message, in: room)
        for id in try files(in: folder) { try remove(id, in: folder) }
        try DiskFolder.removeIfEmpty(folder)
    }

    /// - Complexity: O(files), with a few reads of the disk for each.
    package func sweep(
        at time: Milliseconds, _ kept: (MessageID, RoomName) -> Set<FileID>?
    ) throws(FileFault) -> Int {
        state.withLock { $0.added = FileUsage() }
        var (usage, removed) = (FileUsage(), 0)
        for roomName in try DiskFolder.names(rooms) {
            guard let room = RoomName(segment: roomName) else { continue }
            for name in try DiskFolder.names("\(rooms)/\(roomName)") {
                guard let message = MessageID(name) else { continue }
                removed += try sweep(message, in: room, at: time, kept, &usage)
            }
            try DiskFolder.removeIfEmpty("\(rooms)/\(roomName)")
        }
        state.withLock { [usage] state in
            // A file that came meanwhile may have been counted or not. Then the count of before is right, if there is one.
            if !state.isCounted { state.usage = usage.adding(state.added) }
            if state.isCounted, state.added.isEmpty { state.usage = usage }
            state.isCounted = true
        }
        return removed
    }

    private func sweep(
        _ message: MessageID, in room: RoomName, at time: Milliseconds,
        _ kept: (MessageID, RoomName) -> Set<FileID>?, _ usage: inout FileUsage
    ) throws(FileFault) -> Int {
        let folder = folder(of: message, in: room)
        let (files, kept) = (try files(in: folder), kept(message, room))
        var removed = 0
        for id in files {
            let path = "\(folder)/\(id)"
            if let stored = try description(path) { usage.add(try bytes(at: path), of: stored.user, in: room) }
            guard let kept else { continue }
            guard !kept.contains(id) else {
                _ = try DiskFile.remove(path + ".lost")
                continue
            }
            guard try isLost(path, at: time) else { continue }
            if let stored = try description(path) { usage.add(-(try bytes(at: path)), of: stored.user, in: room) }
            try remove(id, in: folder)
            removed += 1
        }
        try DiskFolder.removeIfEmpty(folder)
        return removed
    }

    /// Returns whether a file without a message has been without one for long enough, and notes since when.
    private func isLost(_ path: String, at time: Milliseconds) throws(FileFault) -> Bool {
        guard let since = try DiskFile.changed(path + ".lost") else {
            try DiskFile.create(path + ".lost", [])
            return false
        }
        return Self.isLost(since: since, come: try DiskFile.changed(path + ".json") ?? 0, at: time)
    }

    /// Returns whether a file that has come at a time goes, if no message has had it since another time.
    static func isLost(since: Milliseconds, come: Milliseconds, at time: Milliseconds) -> Bool {
        since < time - doubtTime && come < time - keepTime
    }

    /// The files of a message, whole or in part.
    private func files(in folder: String) throws(FileFault) -> Set<FileID> {
        Set(try DiskFolder.names(folder).compactMap { FileID(String($0.prefix { $0 != "." })) })
    }

    private func description(_ path: String) throws(FileFault) -> StoredFile? {
        try DiskFile.read(path + ".json").flatMap { StoredFile(json: $0) }
    }

    private func bytes(at path: String) throws(FileFault) -> Int {
        if let bytes = try DiskFile.size(path) { return bytes }
        return try DiskFile.size(path + ".part") ?? 0
    }

    private func remove(_ id: FileID, in folder: String) throws(FileFault) {
        let path = "\(folder)/\(id)"
        let (stored, bytes) = (try description(path), try bytes(at: path))
        for name in [path, path + ".part", path + ".lost"] { _ = try DiskFile.remove(name) }
        // Of two that remove it at once, one finds this file.
        guard try DiskFile.remove(path + ".json"), let stored else { return }
        state.withLock { $0.add(-bytes, to: stored) }
    }
}
