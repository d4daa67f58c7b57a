import ChatRoom
import ChatWire
import Dispatch
import Files
import Locking
import RoomStore
import WebSocketTransport

/// Takes uploads and gives out files, away from the event loops: these only copy bytes between sockets and files.
final class FileDesk: Sendable {
    private let folder: FileFolder
    private let store: any RoomStore
    private let transport: WebSocketServer
    private let log: ServerLog
    /// Queues for downloads and for uploads: no download waits for a checksum.
    private let downloads = BoundedQueue("diffroom.files.out", most: 1_024)
    private let uploads = BoundedQueue("diffroom.files.in", most: 1_024)
    private let removals = DispatchQueue(label: "diffroom.files.removal", qos: .utility)
    private let sweeps = DispatchQueue(label: "diffroom.files.sweep", qos: .utility)
    /// The bodies that are on their way.
    private let arrivals = Guarded<[RequestID: Arrival]>([:])

    private struct Arrival: Sendable {
        let upload: Upload
        let file: DiskFile
        let reply: Reply
    }

    /// The time between two sweeps.
    private static let rest = DispatchTimeInterval.seconds(3_600)
    static let methods = (upload: "PUT, HEAD, OPTIONS", file: "GET, HEAD, OPTIONS")

    init(_ folder: FileFolder, store: any RoomStore, transport: WebSocketServer, log: ServerLog) {
        (self.folder, self.store, self.transport, self.log) = (folder, store, transport, log)
        sweeps.async { [weak self] in self?.sweep() }
    }

    // MARK: - Requests

    /// Answers a request for a path of files, or returns that it is none.
    func answer(_ request: HTTPRequest, _ reply: Reply) throws(WireError) -> Bool {
        if request.path.hasPrefix(FileTickets.uploadPath) {
            try answer(request, toUpload: reply)
        } else if request.path.hasPrefix(FileTickets.filePath) {
            try answer(request, toFile: reply)
        } else {
            return false
        }
        return true
    }

    private func answer(_ request: HTTPRequest, toUpload reply: Reply) throws(WireError) {
        switch request.method {
        case .options: reply(.preflight(request, reply, Self.methods.upload))
        case .head, .put:
            let upload = try folder.tickets.upload(at: request.path, at: .now)
            let isTaken = uploads.offer { [self] in
                run(reply) { try request.method == .put ? save(request, upload, reply) : reply(state(of: upload)) }
            }
            if !isTaken { throw .tooManyFiles }
        case .get, .post, .delete: reply(.wrongMethod(at: FileTickets.uploadPath, allowed: Self.methods.upload))
        }
    }

    private func answer(_ request: HTTPRequest, toFile reply: Reply) throws(WireError) {
        switch request.method {
        case .options: reply(.preflight(request, reply, Self.methods.file))
        case .get, .head:
            let (place, until) = try folder.tickets.link(at: request.path, at: .now)
            let isTaken = downloads.offer { [self] in
                run(reply) {
                    guard let (stored, file) = try folder.open(place) else { throw WireError.noFile }
                    reply(.file(stored, file, for: request, until: until))
                }
            }
            if !isTaken { throw .tooManyFiles }
        case .put, .post, .delete: reply(.wrongMethod(at: FileTickets.filePath, allowed: Self.methods.file))
        }
    }

    /// Does something that may fail, and answers if it does.
    private func run(_ reply: Reply, _ work: () throws -> Void) {
        do {
            try work()
        } catch let error as WireError {
            reply(.error(error))
        } catch let refusal as FileRefusal {
            reply(.refusal(refusal))
        } catch {
            log(.error, "a file cannot be kept or read", ["why": "\(error)"])
            reply(.error((error as? FileFault)?.isFull == true ? .noSpace : .filesFail))
        }
    }

    // MARK: - Uploads

    private func state(of upload: Upload) throws -> HTTPResponse {
        HTTPResponse(status: 200, headers: .offset(try folder.count(of: upload)))
    }

    private func save(_ request: HTTPRequest, _ upload: Upload, _ reply: Reply) throws {
        let size = upload.file.size
        guard let part = UploadedPart(request.headers["content-range"], count: request.bodyToCome, of: size) else {
            throw WireError.wrongPart(of: size)
        }
        // An earlier answer was lost.
        if try folder.isWhole(upload) { return reply(.uploaded(folder.tickets.proof(of: upload))) }
        // The user may have been banned since the upload was allowed.
        let standing = try store.standing(of: upload.user, in: upload.place.room)
        if let refusal = standing.refusal(.write, in: upload.place.room, granted: .write) { throw refusal }
        let file = try folder.begin(upload, at: part.offset)
        arrivals.withLock { $0[reply.id] = Arrival(upload: upload, file: file, reply: reply) }
        let isStopped = !transport.saveBody(of: reply.id, into: file.descriptor, at: UInt64(part.offset))
        if isStopped { saved(reply.id, isWhole: false) }
    }

    /// The body of a request has come, or no more will come of it.
    func saved(_ id: RequestID, isWhole: Bool) {
        guard let arrival = arrivals.withLock({ $0.removeValue(forKey: id) }) else { return }
        uploads.put { [self] in
            let (upload, reply) = (arrival.upload, arrival.reply)
            run(reply) {
                guard isWhole else {
                    folder.end(upload, arrival.file)
                    // The client has gone, or the disk took no more.
                    throw folder.isFull ? WireError.noSpace : .brokenOff
                }
                let count = try folder.finish(upload, arrival.file)
                guard count == upload.file.size else {
                    return reply(HTTPResponse(status: 202, headers: .offset(count)))
                }
                reply(.uploaded(folder.tickets.proof(of: upload)))
            }
        }
    }

    // MARK: - Removing

    /// Removes the files of messages that were deleted.
    func removeFiles(of messages: [(room: RoomName, id: MessageID)]) {
        removals.async { [self] in
            for message in messages {
                run { () throws(FileFault) in try folder.removeFiles(of: message.id, in: message.room) }
            }
        }
    }

    /// Repeats itself as long as the server runs.
    private func sweep() {
        run { () throws(FileFault) in
            let removed = try folder.sweep(at: .now) { message, room in
                do throws(RoomStoreError) {
                    let page = try store.page(room, .around(.id(message)), limit: 1)
                    let row = page?.rows.first { $0.id == message }
                    return row?.isDamaged == true ? nil : Set(row?.content.files.map(\.id) ?? [])
                } catch {
                    return nil
                }
            }
            if removed > 0 { log(.info, "files that no message has were removed", ["count": "\(removed)"]) }
        }
        sweeps.asyncAfter(deadline: .now() + Self.rest) { [weak self] in self?.sweep() }
    }

    private func run(_ work: () throws(FileFault) -> Void) {
        do throws(FileFault) { try work() } catch { log(.error, "files cannot be removed", ["why": "\(error)"]) }
    }
}

extension HTTPResponse {
    fileprivate static func preflight(_ request: HTTPRequest, _ reply: Reply, _ methods: String) -> HTTPResponse {
        request.askedMethod == nil ? .allowing(methods) : reply.crossOrigin.preflight(allowing: methods)
    }

    fileprivate static func uploaded(_ file: Attachment) -> HTTPResponse {
        HTTPResponse(
            status: 201, headers: [("content-type", "application/json"), ("cache-control", "no-store")],
            body: file.json)
    }

    fileprivate static func refusal(_ refusal: FileRefusal) -> HTTPResponse {
        switch refusal {
        case .isWritten: return .error(.isWritten)
        case .isGone: return .error(.noFile)
        case .otherOffset(let count):
            var response = HTTPResponse.error(.otherOffset(count))
            response.headers += .offset(count)
            return response
        case .otherChecksum(let found): return .error(.otherChecksum(found))
        case .tooMuch(let owner, let most): return .error(.tooMuch(owner, most))
        }
    }

    /// Returns a file, or the part of it that a request names. It runs no script in the page's origin.
    fileprivate static func file(
        _ stored: StoredFile, _ file: DiskFile, for request: HTTPRequest, until: Milliseconds
    ) -> HTTPResponse {
        let size = stored.file.size
        var response = HTTPResponse(
            status: 200, headers: stored.headers(isDownload: request.query == "download", until: until))
        if EntityTags(request.headers["if-none-match"])?.contain(stored.tag) == true {
            response.status = 304
            return response
        }
        switch ByteRange(request.method == .get ? request.headers["range"] : nil, of: size) {
        case .whole: response.file = FilePart(descriptor: file.release(), start: 0, count: UInt64(size))
        case .part(let range):
            response.status = 206
            response.headers.append(("content-range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"))
            response.file = FilePart(
                descriptor: file.release(), start: UInt64(range.lowerBound), count: UInt64(range.count))
        case .outside:
            response.status = 416
            response.headers.append(("content-range", "bytes */\(size)"))
        }
        return response
    }
}

extension [(name: String, value: String)] {
    fileprivate static func offset(_ count: Int) -> Self {
        [("upload-offset", "\(count)"), ("cache-control", "no-store")]
    }
}

extension StoredFile {
    fileprivate var tag: String { "\"\(file.sha256.prefix(32))\"" }

    /// Types that a browser draws by itself and that hold no script. All else is saved.
    private static let drawn: Set = [
        "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "video/mp4", "video/webm", "audio/mpeg",
        "audio/ogg", "audio/wav", "audio/mp4", "audio/webm",
    ]

    fileprivate func headers(isDownload: Bool, until: Milliseconds) -> [(name: String, value: String)] {
        let isDrawn = Self.drawn.contains(file.media) && !isDownload
        let seconds = max(0, (until - .now) / 1_000)
        return [
            ("content-type", isDrawn ? file.media : "application/octet-stream"),
            (
                "content-disposition",
                (isDrawn ? "inline" : "attachment") + "; filename*=UTF-8''\(file.name.percentEncoded)"
            ),
            ("x-content-type-options", "nosniff"), ("content-security-policy", "default-src 'none'; sandbox"),
            ("referrer-policy", "no-referrer"), ("accept-ranges", "bytes"), ("etag", tag),
            ("cache-control", "private, max-age=\(seconds), immutable"),
        ]
    }
}

extension String {
    /// - Source: RFC 8187, attr-char.
    fileprivate var percentEncoded: String {
        utf8.reduce(into: "") { text, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}

extension WireError {
    fileprivate static let tooManyFiles = WireError(
        .overloaded, "too many files are on their way: send it again", retryAfter: 1_000)
    fileprivate static let noFile = WireError(.noFile, "this file is not there any more: it goes with its message")
    fileprivate static let isWritten = WireError(
        .offset, "another request sends this file at present: wait for its end, then see `upload-offset` by HEAD",
        retryAfter: 1_000)
    fileprivate static let noSpace = WireError(
        .diskFull, "the server's disk is full; what has come of the file is kept: go on later", retryAfter: 5_000)
    fileprivate static let brokenOff = WireError(
        .notWritable, "the file did not come whole: what has come is kept: go on where `upload-offset` says",
        retryAfter: 1_000)
    fileprivate static let filesFail = WireError(
        .notWritable, "the server cannot keep or read files at present: try again", retryAfter: 5_000)

    fileprivate static func otherOffset(_ count: Int) -> WireError {
        WireError(.offset, "the file has \(count) bytes here: go on there, with Content-Range")
    }

    fileprivate static func otherChecksum(_ found: String) -> WireError {
        WireError(
            .checksum, "the bytes have the SHA-256 \(found), not the one that was announced: send all of them again")
    }

    fileprivate static func wrongPart(of size: Int) -> WireError {
        WireError(
            .invalid,
            "the body must be the file's \(size) bytes, or a part as in: Content-Range: bytes 0-\(size - 1)/\(size)",
            field: "content-range")
    }

    fileprivate static func tooMuch(_ owner: FileUsage.Owner, _ most: Int) -> WireError {
        switch owner {
        case .user:
            WireError(
                .userFiles,
                "your files would have more than \(most) bytes: delete messages with files, or wait a day for uploads without one to go"
            )
        case .room(let room):
            WireError(
                .roomFiles,
                "the files of \(room) would have more than \(most) bytes: delete messages with files, or wait a day for uploads without one to go"
            )
        }
    }
}
