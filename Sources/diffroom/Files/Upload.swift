import ChatClient
import ChatWire
import Dispatch
import HTTPClient
import Locking
import Publishing
import TerminalUI

/// The files of one message on their way to the server.
final class Upload: Sendable {
    /// The news of an upload. One of the last three is the end.
    enum Event: Equatable, Sendable {
        /// Bytes of a file are there. The first one of each file has the count 0.
        case progressed(FileDescription, count: Int)
        /// There is no connection, for this reason.
        case waits(FileDescription, String)
        case uploaded([Attachment])
        case failed(String)
        case cancelled
    }

    /// The id of the message that is to have the files.
    let message = MessageID.random()
    let room: RoomName
    let line: FileLine
    private let client: ChatClient
    private let url: String
    private let authorities: String?
    private let task = Guarded<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - url: the address of the server's WebSocket.
    ///   - authorities: a file of certificate authorities to trust.
    init(_ line: FileLine, to room: RoomName, by client: ChatClient, _ url: String, authorities: String?) {
        (self.line, self.room, self.client) = (line, room, client)
        (self.url, self.authorities) = (url, authorities)
    }

    /// Begins. Call it once.
    ///
    /// - Parameters:
    ///   - home: the user's folder.
    ///   - report: gets each event, one at a time.
    func start(home: String?, _ report: @escaping @Sendable (Event) -> Void) {
        let task = Task {
            do {
                report(.uploaded(try await run(home, report)))
            } catch {
                report(Task.isCancelled ? .cancelled : .failed((error as? WireError)?.message ?? "\(error)"))
            }
        }
        self.task.withLock { $0 = task }
    }

    /// Ends the upload within a second or so. It reports that.
    func cancel() {
        task.withLock { $0 }?.cancel()
    }

    private func run(_ home: String?, _ report: @escaping @Sendable (Event) -> Void) async throws -> [Attachment] {
        // A fault of a path is reported without waiting for a connection.
        let files = try line.paths.map { try LocalFile($0.expandingTilde(home: home)) }
        try files.check(await client.welcome().limits)
        var attachments: [Attachment] = []
        for file in files {
            let description = try await blocking { try file.description() }
            report(.progressed(description, count: 0))
            let transfer = FileTransfer(file, description, url: url, authorities: authorities) { report($0) }
            attachments.append(try await transfer.run(client, room, message))
        }
        return attachments
    }
}

extension [LocalFile] {
    /// - Throws: the reason why the server takes no such files.
    func check(_ limits: WireLimits) throws(InputError) {
        guard limits.files > 0 else { throw InputError("this server keeps no files") }
        guard count <= limits.files else {
            throw InputError(
                "these are \(count) files, a message has up to \(limits.files): send the others with another one")
        }
        for file in self where file.size > limits.fileBytes {
            let (size, limit) = (file.size.bytesInWords, limits.fileBytes.bytesInWords)
            let isClear = size != limit
            throw InputError(
                "\(file.name.inOneLine) has \(isClear ? size : "\(file.size.grouped) bytes"), "
                    + "this server takes files up to \(isClear ? limit : "\(limits.fileBytes.grouped) bytes")")
        }
    }
}

/// One file on its way: performs the steps of its ``UploadPlan``.
private struct FileTransfer: Sendable {
    let file: LocalFile
    let description: FileDescription
    let url: String
    let authorities: String?
    let report: @Sendable (Upload.Event) -> Void

    init(
        _ file: LocalFile, _ description: FileDescription, url: String, authorities: String?,
        report: @escaping @Sendable (Upload.Event) -> Void
    ) {
        (self.file, self.description, self.url) = (file, description, url)
        (self.authorities, self.report) = (authorities, report)
    }

    func run(_ client: ChatClient, _ room: RoomName, _ message: MessageID) async throws -> Attachment {
        var plan = UploadPlan(name: description.name, size: description.size)
        var (step, route) = (UploadPlan.Step.permit, Route(UploadPermit(file: .random(), url: "", until: 0), self))
        while true {
            try Task.checkCancellation()
            switch step {
            case .permit:
                do {
                    let permit = try await client.room(room).permit(description, for: message)
                    route = Route(permit, self)
                    step = plan.permitted(route.way)
                } catch let error as WireError {
                    step = plan.refused(error)
                }
            case .put(let offset): step = plan.handle(try await put(route, from: offset))
            case .head: step = plan.handle(try await cancelling(route.bytes) { $0.head() })
            case .confirm: step = plan.handle(try await cancelling(route.confirmation) { $0.post() })
            case .pause(let pause, let why):
                try await wait(pause, why, client)
                step = plan.look
            case .pauseBeforePermit(let pause, let why):
                try await wait(pause, why, client)
                step = .permit
            case .done(let attachment): return attachment
            case .fail(let why): throw InputError(why)
            }
        }
    }

    private func wait(_ pause: Milliseconds, _ why: String, _ client: ChatClient) async throws {
        report(.waits(description, why))
        _ = try await client.welcome()
        try await Task.sleep(for: .milliseconds(pause))
    }

    private func put(_ route: Route, from offset: Int) async throws -> HTTPUploader.Outcome {
        let percents = Guarded(-1)
        return try await cancelling(route.bytes) { [self] uploader in
            uploader.put(file.descriptor, from: offset, of: description.size, headers: route.headers) { count in
                let percent = percents.withLock { last -> Int? in
                    let percent = count * 100 / description.size
                    defer { last = percent }
                    return percent == last ? nil : percent
                }
                if percent != nil { report(.progressed(description, count: count)) }
            }
        }
    }

    private func cancelling(
        _ uploader: HTTPUploader, _ request: @escaping @Sendable (HTTPUploader) -> HTTPUploader.Outcome
    ) async throws -> HTTPUploader.Outcome {
        try await withTaskCancellationHandler {
            try await blocking { request(uploader) }
        } onCancel: {
            uploader.cancel()
        }
    }
}

/// The requests that a permit allows.
private struct Route: Sendable {
    let way: UploadPlan.Way
    let bytes: HTTPUploader
    let headers: [String: String]
    /// The same as ``bytes`` where nothing is to be confirmed.
    let confirmation: HTTPUploader

    init(_ permit: UploadPermit, _ transfer: FileTransfer) {
        func uploader(_ url: String) -> HTTPUploader {
            HTTPUploader(url: webAddress(url, on: transfer.url), authorities: transfer.authorities)
        }
        (way, headers) = (permit.confirm == nil ? .server : .store, permit.headers)
        bytes = uploader(permit.url)
        confirmation = permit.confirm.map(uploader) ?? bytes
    }
}

/// Does work that blocks its thread on a thread for that.
private func blocking<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Swift.Result { try work() }) }
    }
}

extension ChatClient {
    /// Waits until there is a connection, and returns what the server has said then.
    ///
    /// - Throws: the reason why there will be none, a `CancellationError` if the task is cancelled.
    fileprivate func welcome() async throws -> Welcome {
        for await state in connection.receive(on: .global(), policy: .keepLatest).values {
            switch state {
            case .online(let welcome): return welcome
            case .ended(let loss): throw loss
            case .offline, .connecting, .waiting: break
            }
        }
        throw CancellationError()
    }
}
