internal import CCurl
internal import Glibc
internal import Locking

/// Sends a file to one address over HTTP, from any of its bytes on.
///
/// ```swift
/// let uploader = HTTPUploader(url: "https://chat.example/api/uploads/…")
/// uploader.put(file, from: 0, of: size) { print("\($0) bytes") }  // blocks the thread; .failed when the connection broke
/// uploader.head()                                                 // .answered, with the offset at which to go on
/// ```
///
/// It reads the file as the bytes go, verifies certificates, follows no redirects, and gives up when nothing moves for
/// ``stall`` seconds.
package final class HTTPUploader: @unchecked Sendable {
    // @unchecked: `curl` is used by one thread at a time, its owner's; the rest is constant or locked.
    private let curl = CurlHandle()
    private let url: String
    private let authorities: String?
    private let isCancelled = Guarded(false)

    /// The seconds without a byte after which a request has failed.
    package static let stall = 60
    /// The seconds for a connection to be made.
    private static let patience = 20

    /// The answer to a request.
    package struct Answer: Equatable, Sendable {
        package let status: Int
        /// The header `upload-offset`: the number of bytes that the server has.
        package var offset: Int?
        /// At most 64 kB of it.
        package var body: [UInt8] = []

        package init(status: Int, offset: Int? = nil, body: [UInt8] = []) {
            (self.status, self.offset, self.body) = (status, offset, body)
        }
    }

    /// The outcome of a request.
    package enum Outcome: Equatable, Sendable {
        case answered(Answer)
        /// There was no answer. The text says why, for a person to read.
        case failed(String)
        /// The file ended before its size, or could not be read.
        case unreadable
        case cancelled
    }

    /// - Parameter authorities: a PEM file of certificate authorities to trust besides the system's.
    package init(url: String, authorities: String? = nil) {
        (self.url, self.authorities) = (url, authorities)
    }

    /// Ends the present request within a second, and all later ones at once. Any thread may call this.
    package func cancel() {
        isCancelled.withLock { $0 = true }
    }

    /// Asks how much the server has, and waits for the answer.
    package func head() -> Outcome {
        perform(Transfer(file: -1, range: 0..<0, isCancelled: isCancel) { _ in }, [(CURLOPT_NOBODY, 1)], [])
    }

    /// Sends an empty request by `POST`, and waits for the answer.
    package func post() -> Outcome {
        let transfer = Transfer(file: -1, range: 0..<0, isCancelled: isCancel) { _ in }
        return perform(transfer, [(CURLOPT_POST, 1), (CURLOPT_POSTFIELDSIZE, 0)], [])
    }

    /// Sends the bytes of a file from an offset on, and waits for the answer.
    ///
    /// - Parameters:
    ///   - file: a descriptor, which is read at absolute places.
    ///   - size: the file's, from 1.
    ///   - headers: others than those of the bytes, or in place of them.
    ///   - progress: called on this thread with the number of bytes up to which the file has been sent.
    package func put(
        _ file: Int32, from offset: Int, of size: Int, headers more: [String: String] = [:],
        progress: @escaping (Int) -> Void
    ) -> Outcome {
        precondition((0..<size).contains(offset), "there is no byte \(offset) of \(size) to send")
        let transfer = Transfer(file: file, range: offset..<size, isCancelled: isCancel, progress: progress)
        // The server may answer before it wants the body: with an error, or that it has the file already.
        var headers = ["expect": "100-continue", "content-type": "application/octet-stream"]
        if offset > 0 { headers["content-range"] = "bytes \(offset)-\(size - 1)/\(size)" }
        for (name, value) in more { headers[name.lowercased()] = value }
        return perform(transfer, [], headers.map { ($0.key, $0.value) })
    }

    private func isCancel() -> Bool { isCancelled.withLock { $0 } }

    private func perform(
        _ transfer: Transfer, _ options: [(CURLoption, Int)], _ headers: [(name: String, value: String)]
    ) -> Outcome {
        let limits: [(CURLoption, Int)] = [
            (CURLOPT_CONNECTTIMEOUT, Self.patience), (CURLOPT_LOW_SPEED_LIMIT, 1), (CURLOPT_LOW_SPEED_TIME, Self.stall),
        ]
        curl.begin(url, limits + options)
        if let authorities { CurlHandle.require(ccurl_set_text(curl.pointer, CURLOPT_CAINFO, authorities)) }
        return withExtendedLifetime(transfer) {
            transfer.attach(to: curl)
            let code = curl.perform(headers)
            switch code {
            case CURLE_OK: return .answered(transfer.answer(status: ccurl_status(curl.pointer)))
            case CURLE_ABORTED_BY_CALLBACK: return transfer.isUnreadable ? .unreadable : .cancelled
            default: return .failed(code.text)
            }
        }
    }
}

/// One request: the source of its body, and the answer as it comes. One thread at a time uses it.
private final class Transfer {
    private let file: Int32
    private let range: Range<Int>
    private let isCancelled: () -> Bool
    private let progress: (Int) -> Void
    /// The place of the next byte to send.
    private var place: Int
    private var offset: Int?
    private var body: [UInt8] = []
    private(set) var isUnreadable = false

    /// The most bytes kept of an answer's body.
    private static let longestBody = 65_536

    init(file: Int32, range: Range<Int>, isCancelled: @escaping () -> Bool, progress: @escaping (Int) -> Void) {
        (self.file, self.range, self.isCancelled, self.progress) = (file, range, isCancelled, progress)
        place = range.lowerBound
    }

    func answer(status: Int) -> HTTPUploader.Answer { HTTPUploader.Answer(status: status, offset: offset, body: body) }

    /// Sets the callbacks, which use this transfer until the request ends.
    func attach(to curl: borrowing CurlHandle) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        if !range.isEmpty {
            let code = ccurl_set_source(
                curl.pointer, curl_off_t(range.count),
                { bytes, size, count, context in
                    Transfer.of(context).read(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
                }, { context, offset, origin in Transfer.of(context).seek(to: Int(offset), origin) }, context)
            CurlHandle.require(code)
        }
        let sink = ccurl_set_sink(
            curl.pointer,
            { bytes, size, count, context in
                Transfer.of(context).addHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
            },
            { bytes, size, count, context in
                Transfer.of(context).addBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
            }, context)
        CurlHandle.require(sink)
        let code = ccurl_set_progress(
            curl.pointer, { context, _, _, _, sent in Transfer.of(context).went(Int(sent)) }, context)
        CurlHandle.require(code)
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> Transfer {
        guard let context else { preconditionFailure("libcurl has lost the context") }
        return Unmanaged.fromOpaque(context).takeUnretainedValue()
    }

    private func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
        let wanted = min(bytes.count, range.upperBound - place)
        guard wanted > 0 else { return 0 }
        var count = 0
        repeat { count = pread(file, bytes.baseAddress, wanted, off_t(place)) } while count < 0 && errno == EINTR
        guard count > 0 else {
            isUnreadable = true
            return Int(CURL_READFUNC_ABORT)
        }
        place += count
        return count
    }

    /// Goes back to send the body again, as when a kept connection was closed at the other side.
    private func seek(to offset: Int, _ origin: Int32) -> Int32 {
        guard origin == SEEK_SET, (0...range.count).contains(offset) else { return CURL_SEEKFUNC_FAIL }
        place = range.lowerBound + offset
        return CURL_SEEKFUNC_OK
    }

    private func addHeader(_ line: UnsafeRawBufferPointer) -> Int {
        let text = String(decoding: line, as: UTF8.self)
        // The header of `100 Continue` comes first, and that of the answer after it.
        if text.hasPrefix("HTTP/") { (offset, body) = (nil, []) }
        let parts = text.split(separator: ":", maxSplits: 1)
        if parts.count == 2, parts[0].lowercased() == "upload-offset" {
            offset = Int(parts[1].filter { !$0.isWhitespace })
        }
        return line.count
    }

    private func addBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        body += bytes.prefix(Self.longestBody - body.count)
        return bytes.count
    }

    private func went(_ count: Int) -> Int32 {
        if isCancelled() { return 1 }
        if count > 0 { progress(range.lowerBound + count) }
        return 0
    }
}
