import ChatRoom
import ChatWire
import Dispatch
import Files
import Locking
import RoomStore
import WebSocketTransport

/// Takes uploads and gives out files, away from the event loops: these only copy bytes between sockets and files.
final class FileDesk: Sendable {
    private let keeper: any FileKeeper
    private let store: any RoomStore
    private let transport: WebSocketServer
    private let log: ServerLog
    /// Queues for downloads and for uploads: no download waits for a checksum.
    private let downloads: FileQueues
    private let uploads: FileQueues
    private let removals = DispatchQueue(label: "diffroom.files.removal", qos: .utility)
    private let sweeps = DispatchQueue(label: "diffroom.files.sweep", qos: .utility)
    /// The bodies that are on their way.
    private let arrivals = Guarded<[RequestID: Arrival]>([:])

    private struct Arrival: Sendable {
        let upload: Upload
        let folder: FileFolder
        let file: DiskFile
        let reply: Reply
    }

    /// The time between two sweeps.
    private static let rest = DispatchTimeInterval.seconds(3_600)
    /// The same after a sweep that a fault has ended.
    private static let shortRest = DispatchTimeInterval.seconds(300)
    private static let methods = "GET, HEAD, OPTIONS"

    init(_ keeper: any FileKeeper, store: any RoomStore, transport: WebSocketServer, log: ServerLog) {
        (self.keeper, self.store, self.transport, self.log) = (keeper, store, transport, log)
        let count = keeper.target.parallelRequests
        downloads = FileQueues("diffroom.files.out", count: count)
        uploads = FileQueues("diffroom.files.in", count: count)
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
        switch (request.method, keeper.target) {
        case (.options, let target): reply(.preflight(request, reply, target.methods))
        case (.put, .folder(let folder)):
            try queue(request, reply) { [self] in try save(request, $0, in: folder, reply) }
        case (.head, .folder(let folder)):
            try queue(request, reply) { reply(HTTPResponse(status: 200, headers: .offset(try folder.count(of: $0)))) }
        case (.post, .bucket(let bucket)):
            try queue(request, reply) { [self] in
                try requireWriter($0)
                try bucket.confirm($0)
                reply(.uploaded(keeper.tickets.proof(of: $0)))
            }
        case (_, let target): reply(.wrongMethod(at: FileTickets.uploadPath, allowed: target.methods))
        }
    }

    /// Does the work of a request for an upload, away from the event loop.
    private func queue(
        _ request: HTTPRequest, _ reply: Reply, _ work: @escaping @Sendable (Upload) throws -> Void
    ) throws(WireError) {
        let upload = try keeper.tickets.upload(at: request.path, at: .now)
        guard uploads.offer({ [self] in run(reply) { try work(upload) } }) else { throw .tooManyFiles }
    }

    private func answer(_ request: HTTPRequest, toFile reply: Reply) throws(WireError) {
        switch request.method {
        case .options: reply(.preflight(request, reply, Self.methods))
        case .get, .head:
            let (place, until) = try keeper.tickets.link(at: request.path, at: .now)
            let use = request.query == "download" ? FileUse.save : .show
            let isTaken = downloads.offer { [self] in
                run(reply) {
                    switch try keeper.find(place, for: use, at: .now) {
                    case .here(let stored, let file)?: reply(.file(stored, file, use, for: request, until: until))
                    case .elsewhere(let stored, let url, let seconds)?:
                        reply(.redirect(to: url, stored, use, for: request, seconds: seconds))
                    case nil: throw WireError.noFile
                    }
                }
            }
            if !isTaken { throw .tooManyFiles }
        case .put, .post, .delete: reply(.wrongMethod(at: FileTickets.filePath, allowed: Self.methods))
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

    private func save(_ request: HTTPRequest, _ upload: Upload, in folder: FileFolder, _ reply: Reply) throws {
        let size = upload.file.size
        guard let part = UploadedPart(request.headers["content-range"], count: request.bodyToCome, of: size) else {
            throw WireError.wrongPart(of: size)
        }
        // An earlier answer was lost.
        if try folder.isWhole(upload) { return reply(.uploaded(keeper.tickets.proof(of: upload))) }
        try requireWriter(upload)
        let file = try folder.begin(upload, at: part.offset)
        arrivals.withLock { $0[reply.id] = Arrival(upload: upload, folder: folder, file: file, reply: reply) }
        let isStopped = !transport.saveBody(of: reply.id, into: file.descriptor, at: UInt64(part.offset))
        if isStopped { saved(reply.id, isWhole: false) }
    }

    /// The user may have been banned since the upload was allowed.
    private func requireWriter(_ upload: Upload) throws {
        let standing = try store.standing(of: upload.user, in: upload.place.room)
        if let refusal = standing.refusal(.write, in: upload.place.room, granted: .write) { throw refusal }
    }

    /// The body of a request has come, or no more will come of it.
    func saved(_ id: RequestID, isWhole: Bool) {
        guard let arrival = arrivals.withLock({ $0.removeValue(forKey: id) }) else { return }
        uploads.put { [self] in
            let (upload, folder, reply) = (arrival.upload, arrival.folder, arrival.reply)
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
                reply(.uploaded(keeper.tickets.proof(of: upload)))
            }
        }
    }

    // MARK: - Removing

    /// Removes the files of messages that were deleted.
    func removeFiles(of messages: [(room: RoomName, id: MessageID)]) {
        removals.async { [self] in
            for message in messages {
                run { () throws(FileFault) in try keeper.removeFiles(of: message.id, in: message.room) }
            }
        }
    }

    /// Repeats itself as long as the server runs.
    private func sweep() {
        let isDone = run { () throws(FileFault) in
            let removed = try keeper.sweep(at: .now) { message, room in
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
        sweeps.asyncAfter(deadline: .now() + (isDone ? Self.rest : Self.shortRest)) { [weak self] in self?.sweep() }
    }

    /// Returns whether work that may fail was done.
    @discardableResult
    private func run(_ work: () throws(FileFault) -> Void) -> Bool {
        do throws(FileFault) {
            try work()
            return true
        } catch {
            log(.error, "files cannot be removed", ["why": "\(error)"])
            return false
        }
    }
}
