package import ChatWire
import Foundation
import Locking
package import Tokens

/// Keeps the files of messages in a bucket of an S3-compatible store, each as it was uploaded.
///
/// ```
/// PREFIX/rooms/=lobby/MESSAGE/FILE        the bytes of a file; its metadata are who has uploaded it, its name, type and checksum
/// PREFIX/rooms/=lobby/MESSAGE/FILE.lost   since when no message has it
/// ```
///
/// Clients send the bytes to the store, with an address that this server signs, and load them from there. The store takes
/// only bytes of the announced size and checksum. Servers may share a bucket, with the same access key: each counts toward its
/// quotas what it has found and allowed.
package final class FileBucket: FileKeeper {
    package let tickets: FileTickets
    private let limits: FileLimits
    private let bucket: Bucket
    private let ledger = Guarded(FileLedger())

    /// The seconds in which an upload must begin.
    private static let uploadTime = 3_600
    /// The seconds for which an address of a download works. It is the same for all who ask within ``downloadStep``, so that
    /// browsers may cache it.
    private static let downloadTime = 1_800
    private static let downloadStep = 600

    /// The place of files, without asking the store.
    package init(_ place: BucketPlace, _ key: AccessKey, limits: FileLimits) {
        self.limits = limits
        bucket = Bucket(place, key)
        // Servers with the same key answer for each other's addresses, and the key does not follow from their signatures.
        let purpose = Array("diffroom files \(place)".utf8)
        tickets = FileTickets(Signer(secret: SHA256.authenticationCode(purpose, key: Array(key.secret.utf8))))
    }

    package var target: UploadTarget { .bucket(self) }

    package var origin: String? { bucket.place.origin }

    private func folder(of message: MessageID, in room: RoomName) -> String {
        "\(bucket.place.rooms)\(room.segment)/\(message)/"
    }

    private func key(_ place: StoredFile.Place) -> String { "\(folder(of: place.message, in: place.room))\(place.id)" }

    private static let lost = ".lost"

    // MARK: - Uploads

    package func permit(
        _ request: UploadRequest, by user: UserName, at time: Milliseconds
    ) throws(FileRefusal) -> UploadPermit {
        let (upload, path) = tickets.upload(request, by: user, at: time)
        let until = time + Milliseconds(Self.uploadTime) * 1_000
        try ledger.withLock { ledger throws(FileRefusal) in
            try ledger.permit(upload.stored, until: until, at: time, limits)
        }
        let headers = Self.headers(of: upload)
        let url = bucket.uploadURL(
            key(upload.place), size: upload.file.size, headers: headers, at: time, for: Self.uploadTime)
        return UploadPermit(file: upload.place.id, url: url, until: until, headers: headers, confirm: path)
    }

    private static func headers(of upload: Upload) -> [String: String] {
        let digits = Array(upload.file.sha256.utf8)
        let hash = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
        return [
            "content-type": "application/octet-stream", "x-amz-sdk-checksum-algorithm": "SHA256",
            "x-amz-checksum-sha256": Data(hash).base64EncodedString(), "x-amz-meta-sha256": upload.file.sha256,
            "x-amz-meta-user": upload.user.description.percentEncoded,
            "x-amz-meta-name": upload.file.name.percentEncoded, "x-amz-meta-media": upload.file.media.percentEncoded,
        ]
    }

    /// Checks that an upload is whole, and counts it. A repeat is answered likewise.
    ///
    /// - Throws: ``FileRefusal`` if it is not there, or not what was announced, or too much; what is there is then removed.
    package func confirm(_ upload: Upload) throws {
        let key = key(upload.place)
        guard let found = try bucket.describe(key) else { throw FileRefusal.isMissing }
        guard let sha256 = found.sha256 else {
            throw FileFault("\(bucket.place): the store gives no SHA-256 of \(key): it must know x-amz-checksum-sha256")
        }
        do {
            guard found.size == upload.file.size, sha256 == upload.file.sha256 else {
                throw FileRefusal.otherChecksum(sha256)
            }
            try ledger.withLock { ledger throws(FileRefusal) in try ledger.confirm(upload.stored, limits) }
        } catch {
            try bucket.remove(key)
            throw error
        }
    }

    // MARK: - Downloads

    package func find(
        _ place: StoredFile.Place, for use: FileUse, at time: Milliseconds
    ) throws(FileFault) -> KeptFile? {
        guard let stored = try stored(place) else { return nil }
        let step = Milliseconds(Self.downloadStep) * 1_000
        let cached = ("cache-control", "private, max-age=\(Self.downloadTime), immutable")
        let url = bucket.downloadURL(
            key(place), headers: stored.presentation(for: use) + [cached], at: time / step * step,
            for: Self.downloadTime)
        return .elsewhere(stored, url: url, seconds: Self.downloadTime - Self.downloadStep)
    }

    private func stored(_ place: StoredFile.Place) throws(FileFault) -> StoredFile? {
        // Not every copy of an object, as from a backup, has the store's own checksum.
        guard let found = try bucket.describe(key(place)), let sha256 = found.values["sha256"],
            let name = found.values["name"], let media = found.values["media"],
            let user = found.values["user"].flatMap({ UserName(known: $0) }),
            let file = FileDescription(name: name, media: media, size: found.size, sha256: sha256)
        else { return nil }
        return StoredFile(place: place, user: user, file: file)
    }

    package func fault(of file: Attachment, of message: MessageID, in room: RoomName) throws(FileFault) -> String? {
        let key = key(StoredFile.Place(room: room, message: message, id: file.id))
        guard let found = try bucket.describe(key) else { return "is not in the bucket" }
        guard found.size == file.file.size else { return "has \(found.size) bytes, must have \(file.file.size)" }
        guard let sha256 = found.sha256 else { return nil }
        guard sha256 == file.file.sha256 else { return "has other bytes than were uploaded" }
        return found.values["user"] == nil || found.values["name"] == nil ? "has no metadata in the bucket" : nil
    }

    // MARK: - Removing

    package func removeFiles(of message: MessageID, in room: RoomName) throws(FileFault) {
        try bucket.visit(folder(of: message, in: room)) { object throws(FileFault) in
            try bucket.remove(object.key)
            if let (place, form) = place(object.key), form == .bytes { ledger.withLock { $0.remove(place) } }
        }
    }

    /// - Complexity: O(files), with a request for each thousand of them, and one for each that is met for the first time.
    package func sweep(
        at time: Milliseconds, _ kept: (MessageID, RoomName) -> Set<FileID>?
    ) throws(FileFault) -> Int {
        ledger.withLock { $0.beginSweep() }
        var (pass, removed) = (BucketSweep(), 0)
        try bucket.visit(bucket.place.rooms) { object throws(FileFault) in
            guard let (place, form) = place(object.key) else { return }
            let done = pass.handle(object, at: place, form)
            if let done { removed += try sweep(done, at: time, &pass, kept) }
        }
        if let done = pass.flush() { removed += try sweep(done, at: time, &pass, kept) }
        ledger.withLock { [found = pass.found] in $0.replace(by: found) }
        return removed
    }

    /// Handles all objects of one message.
    private func sweep(
        _ message: BucketSweep.Message, at time: Milliseconds, _ pass: inout BucketSweep,
        _ kept: (MessageID, RoomName) -> Set<FileID>?
    ) throws(FileFault) -> Int {
        let kept = kept(message.id, message.room)
        var removed = 0
        for (id, file) in message.files {
            let place = StoredFile.Place(room: message.room, message: message.id, id: id)
            switch file.step(isKept: kept.map { $0.contains(id) }, at: time) {
            case .keep: break
            case .mark: try bucket.mark(key(place) + Self.lost)
            case .unmark: try bucket.remove(key(place) + Self.lost)
            case .remove:
                for name in ["", Self.lost] { try bucket.remove(key(place) + name) }
                ledger.withLock { $0.remove(place) }
                removed += file.size == nil ? 0 : 1
                continue
            }
            guard let size = file.size else { continue }
            var user = ledger.withLock { $0.user(of: place) }
            if user == nil { user = try stored(place)?.user }
            if let user { pass.found[place] = (user, size) }
        }
        return removed
    }

    private func place(_ key: String) -> (StoredFile.Place, BucketSweep.Form)? {
        guard key.hasPrefix(bucket.place.rooms) else { return nil }
        let parts = key.dropFirst(bucket.place.rooms.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let room = RoomName(segment: String(parts[0])),
            let message = MessageID(String(parts[1])), let id = FileID(String(parts[2].prefix { $0 != "." }))
        else { return nil }
        let place = StoredFile.Place(room: room, message: message, id: id)
        switch parts[2].dropFirst(id.description.count) {
        case "": return (place, .bytes)
        case Self.lost[...]: return (place, .lost)
        default: return nil
        }
    }
}
