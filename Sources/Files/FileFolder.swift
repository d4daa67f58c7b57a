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
/// ```
///
/// A file is whole from its renaming on, when its bytes are on disk and have the checksum that was announced. Servers may share a
/// folder: they then share the key, and each counts toward its quotas what it has found and written.
///
/// All functions may be called from any thread, and wait for the disk.
package final class FileFolder: Sendable {
    package let tickets: FileTickets
    package let limits: FileLimits
    private let rooms: String
    private let state = Guarded(State())

    private struct State: Sendable {
        /// Files that are being written.
        var written: Set<FileID> = []
        var usage = FileUsage()
    }

    /// The time for which a file without a message is kept: longer than a message may come for it.
    private static let keepTime = FileTickets.sendTime + 3_600_000

    /// Opens a folder, and makes it if it is not there.
    package init(path: String, limits: FileLimits) throws(FileFault) {
        self.limits = limits
        rooms = path + "/rooms"
        try DiskFolder.make(rooms)
        tickets = FileTickets(Signer(secret: try Self.key(path + "/key")))
    }

    /// Opens a folder that is there, to look at it.
    package convenience init(existing path: String) throws(FileFault) {
        guard try DiskFile.read(path + "/key") != nil else {
            throw FileFault("\(path) is no folder of files: it has no key")
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

    private func folder(of message: MessageID, in room: RoomName) -> String {
        // `=`: an old room may be named `..`.
        "\(rooms)/=\(room)/\(message)"
    }

    private func path(of place: StoredFile.Place) -> String {
        "\(folder(of: place.message, in: place.room))/\(place.id)"
    }

    // MARK: - Uploads

    /// The bytes of an upload that are there.
    package func count(of upload: Upload) throws(FileFault) -> Int {
        let path = path(of: upload.place)
        if try DiskFile.size(path) != nil { return upload.file.size }
        return min(try DiskFile.size(path + ".part") ?? 0, upload.file.size)
    }

    /// Opens a file for the bytes that are missing of it. ``finish(_:_:)`` must follow.
    ///
    /// - Throws: ``FileRefusal`` for an upload that may not go on there or now.
    package func begin(_ upload: Upload, at offset: Int) throws -> DiskFile {
        guard state.withLock({ $0.written.insert(upload.place.id).inserted }) else { throw FileRefusal.isWritten }
        do {
            let (path, count) = (path(of: upload.place), try count(of: upload))
            guard offset == count else { throw FileRefusal.otherOffset(count) }
            if count == 0, try DiskFile.read(path + ".json") == nil { try reserve(upload, path) }
            return try DiskFile(writing: path + ".part")
        } catch {
            end(upload)
            throw error
        }
    }

    private func reserve(_ upload: Upload, _ path: String) throws {
        let stored = StoredFile(place: upload.place, user: upload.user, file: upload.file)
        try state.withLock { state in
            if let refusal = state.usage.refusal(of: stored, limits) { throw refusal }
            state.usage.add(stored)
        }
        do {
            try DiskFolder.make(folder(of: upload.place.message, in: upload.place.room))
            try DiskFile.create(path + ".json", stored.json)
        } catch {
            state.withLock { $0.usage.remove(stored) }
            throw error
        }
    }

    /// Ends a piece of an upload. With the last piece the file is whole, and on disk when this returns.
    ///
    /// - Returns: the bytes that are there.
    /// - Throws: ``FileRefusal/otherChecksum(_:)``; the bytes are removed then.
    package func finish(_ upload: Upload, _ file: DiskFile) throws -> Int {
        defer { end(upload) }
        let path = path(of: upload.place)
        let count = try file.size
        guard count >= upload.file.size else { return count }
        let found = Signer.sha256(ofFile: file.descriptor)
        guard count == upload.file.size, found == upload.file.sha256 else {
            try DiskFile.remove(path + ".part")
            throw FileRefusal.otherChecksum(found ?? "unreadable")
        }
        try file.synchronize()
        try DiskFile.rename(path + ".part", to: path)
        try DiskFolder.synchronize(folder(of: upload.place.message, in: upload.place.room), upTo: rooms)
        return count
    }

    /// Ends an upload without more bytes.
    package func end(_ upload: Upload) {
        _ = state.withLock { $0.written.remove(upload.place.id) }
    }

    // MARK: - Downloads

    /// Opens a whole file; `nil` if there is none.
    package func open(_ place: StoredFile.Place) throws(FileFault) -> (StoredFile, DiskFile)? {
        let path = path(of: place)
        guard let json = try DiskFile.read(path + ".json"), let stored = StoredFile(json: json), stored.place == place,
            let file = try DiskFile(reading: path)
        else { return nil }
        return (stored, file)
    }

    /// Returns the fault of a file that a message names; `nil` if there is none.
    ///
    /// - Complexity: O(bytes of the file).
    package func fault(of file: Attachment, of message: MessageID, in room: RoomName) throws(FileFault) -> String? {
        guard let (_, kept) = try open(StoredFile.Place(room: room, message: message, id: file.id)) else {
            return "is not in the folder"
        }
        let size = try kept.size
        guard size == file.file.size else { return "has \(size) bytes, must have \(file.file.size)" }
        return Signer.sha256(ofFile: kept.descriptor) == file.file.sha256 ? nil : "has other bytes than were uploaded"
    }

    // MARK: - Removing

    /// Removes the files of a message that was deleted.
    package func removeFiles(of message: MessageID, in room: RoomName) throws(FileFault) {
        let folder = folder(of: message, in: room)
        for (name, _) in try files(in: folder) { try remove(name, in: folder) }
        try DiskFolder.removeIfEmpty(folder)
    }

    /// Looks at all files: counts them anew, and removes those that have been without a message for longer than a message may take.
    ///
    /// - Parameter kept: the files that a message has, none for a message that is not there; `nil` if that is not known now.
    /// - Complexity: O(files), with a few reads of the disk for each.
    package func sweep(
        at time: Milliseconds, _ kept: (MessageID, RoomName) -> Set<FileID>?
    ) throws(FileFault) {
        var usage = FileUsage()
        for roomName in try DiskFolder.names(rooms) {
            guard roomName.hasPrefix("="), let room = RoomName(known: String(roomName.dropFirst())) else { continue }
            for name in try DiskFolder.names("\(rooms)/\(roomName)") {
                guard let message = MessageID(name) else { continue }
                try sweep(message, in: room, at: time, kept, &usage)
            }
            try DiskFolder.removeIfEmpty("\(rooms)/\(roomName)")
        }
        state.withLock { [usage] in $0.usage = usage }
    }

    private func sweep(
        _ message: MessageID, in room: RoomName, at time: Milliseconds,
        _ kept: (MessageID, RoomName) -> Set<FileID>?, _ usage: inout FileUsage
    ) throws(FileFault) {
        let folder = folder(of: message, in: room)
        let files = try files(in: folder)
        var old = Set<FileID>()
        for (id, stored) in files {
            if let stored { usage.add(stored) }
            if try DiskFile.changed("\(folder)/\(id).json") ?? 0 < time - Self.keepTime { old.insert(id) }
        }
        // The store is only asked about files that a message should have by now.
        guard !old.isEmpty, let kept = kept(message, room) else { return }
        for id in old.subtracting(kept) {
            try remove(id, in: folder)
            if case let stored?? = files[id] { usage.remove(stored) }
        }
        try DiskFolder.removeIfEmpty(folder)
    }

    /// The files of a message, with their descriptions where these can be read.
    private func files(in folder: String) throws(FileFault) -> [FileID: StoredFile?] {
        var files: [FileID: StoredFile?] = [:]
        for name in try DiskFolder.names(folder) {
            guard let id = FileID(String(name.prefix { $0 != "." })) else { continue }
            let json = try DiskFile.read("\(folder)/\(id).json")
            files[id] = .some(json.flatMap { StoredFile(json: $0) })
        }
        return files
    }

    private func remove(_ id: FileID, in folder: String) throws(FileFault) {
        let path = "\(folder)/\(id)"
        let stored = try DiskFile.read(path + ".json").flatMap { StoredFile(json: $0) }
        for name in [path, path + ".part", path + ".json"] { try DiskFile.remove(name) }
        if let stored { state.withLock { $0.usage.remove(stored) } }
    }
}

/// Why an upload may not go on.
package enum FileRefusal: Error, Equatable {
    /// Another request writes the file.
    case isWritten
    /// It goes on at another byte.
    case otherOffset(Int)
    /// The bytes have this checksum.
    case otherChecksum(String)
    /// The person's files, or those of the room, would have more bytes than they may.
    case tooMuch(FileUsage.Owner, most: Int)
}
