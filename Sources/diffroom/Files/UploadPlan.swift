import ChatWire
import HTTPClient

/// The steps of one file's upload: which one follows each outcome.
///
/// ```swift
/// var plan = UploadPlan(name: "cat.png", size: 12_345)  // .permit is the first step
/// plan.permitted()                                      // .put(from: 0)
/// plan.handle(.failed("the connection broke"))          // .pause(500, …), then .head
/// plan.handle(.answered(.init(status: 200, offset: 9_000)))  // .put(from: 9000)
/// ```
struct UploadPlan: Equatable {
    enum Step: Equatable {
        /// Asks where the file is to be uploaded.
        case permit
        /// Sends the bytes from an offset on.
        case put(from: Int)
        /// Asks how much the server has.
        case head
        /// Has the server check the file in its store.
        case confirm
        /// Waits for a connection and so many milliseconds more, for this reason; then follows ``UploadPlan/look``.
        case pause(Milliseconds, String)
        /// The same; then asks where the file is to be uploaded.
        case pauseBeforePermit(Milliseconds, String)
        case done(Attachment)
        /// The upload has failed, for this reason.
        case fail(String)
    }

    /// The way of the bytes.
    enum Way: Equatable {
        /// To the server, which says how much it has.
        case server
        /// To a store, all of them at once. The server confirms them then.
        case store
    }

    let name: String
    let size: Int
    private var way = Way.server
    /// The bytes that the server is known to have had.
    private var reached = 0
    /// The attempts without progress.
    private var attempts = 0

    /// The most attempts without progress. All pauses between them together take about a minute.
    static let mostAttempts = 10
    private static let longestPause = 8_000 as Milliseconds

    init(name: String, size: Int) {
        (self.name, self.size) = (name, size)
    }

    // MARK: - The permit

    /// Handles a permit. The upload begins anew.
    mutating func permitted(_ way: Way = .server) -> Step {
        (reached, self.way) = (0, way)
        return .put(from: 0)
    }

    /// Handles the refusal of a permit.
    mutating func refused(_ error: WireError) -> Step {
        guard error.isPassing else { return .fail(error.message) }
        return again(error.message) { .pauseBeforePermit(error.retryAfter ?? $0, $1) }
    }

    // MARK: - HTTP

    /// The step that finds out what has come.
    var look: Step {
        switch way {
        case .server: .head
        case .store: .confirm
        }
    }

    /// Handles the outcome of a request.
    mutating func handle(_ outcome: HTTPUploader.Outcome) -> Step {
        switch outcome {
        case .answered(let answer): handle(answer)
        case .failed(let why): again(why) { .pause($0, $1) }
        case .unreadable: .fail("\(name) cannot be read, or has become shorter: send it again")
        // The task that would go on is cancelled, too.
        case .cancelled: .fail("cancelled")
        }
    }

    private mutating func handle(_ answer: HTTPUploader.Answer) -> Step {
        switch (answer.status, answer.offset) {
        case (200, _) where way == .store: return .confirm
        case (201, _):
            guard let file = try? Attachment(uploaded: answer.body) else {
                return .fail("the server's answer to the upload cannot be read")
            }
            return .done(file)
        case (200, let offset?), (202, let offset?), (409, let offset?): return goOn(at: offset)
        default: return refused(answer)
        }
    }

    /// Goes on where the server's part of the file ends. Where that is the end, the last byte is sent once more: the server
    /// answers it as it has answered the whole.
    private mutating func goOn(at offset: Int) -> Step {
        guard (0...size).contains(offset) else { return .fail("the server has more of \(name) than there is") }
        if offset > reached { (reached, attempts) = (offset, 0) }
        guard attempts < Self.mostAttempts else { return .fail("the server takes nothing more of \(name)") }
        attempts += 1
        return .put(from: min(offset, size - 1))
    }

    private mutating func refused(_ answer: HTTPUploader.Answer) -> Step {
        let error = answer.error
        let why = error?.message ?? "the server answers with \(answer.status)"
        switch (error?.reason, answer.status) {
        case (.link?, _), (nil, 403), (nil, 404): return again(why) { _, why in .pauseBeforePermit(0, why) }
        case (.noFile?, _) where way == .store && attempts < Self.mostAttempts:
            attempts += 1
            return .put(from: 0)
        case (.checksum?, _),
            (nil, 400) where way == .store:
            // A second time, the file itself is another one than at the beginning.
            guard attempts < 2 else { return .fail("\(name) has changed while it was sent: send it again") }
            attempts = 2
            return .put(from: 0)
        case (.offset?, _): return again(why) { .pause(error?.retryAfter ?? $0, $1) }
        case (_, 500...599), (_, 408), (_, 429): return again(why) { .pause(error?.retryAfter ?? $0, $1) }
        default: return .fail(why)
        }
    }

    /// Tries again after a pause that doubles each time, unless it was tried often enough.
    private mutating func again(_ why: String, _ step: (Milliseconds, String) -> Step) -> Step {
        attempts += 1
        guard attempts <= Self.mostAttempts else { return .fail(why) }
        return step(min(Self.longestPause, 250 << min(attempts, 8)), why)
    }
}

extension HTTPUploader.Answer {
    /// The error of an answer that is none of a file; `nil` if it has none, as that of a proxy.
    fileprivate var error: WireError? {
        guard case .error(_, let error)? = try? ServerFrame(json: body) else { return nil }
        return error
    }
}

extension WireError {
    /// True when the server may accept the same request later.
    fileprivate var isPassing: Bool { code == .rateLimited || code == .unavailable }
}
