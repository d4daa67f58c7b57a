internal import CCurl
internal import Locking

/// Sends requests with small bodies over HTTP, several at once, and keeps their connections for the next ones.
///
/// ```swift
/// let requester = HTTPRequester(seconds: 10, longestBody: 4 << 20)
/// requester.perform(.init(.head, "https://store.example/x"))  // blocks the thread; .failed where there is no answer
/// ```
///
/// It verifies certificates, follows no redirects, and gives up when the time of a request is over. Any thread may use it.
package final class HTTPRequester: Sendable {
    private let seconds: Int
    private let longestBody: Int
    private let idle = Guarded<[Exchange]>([])

    package enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case put = "PUT"
        case post = "POST"
        case delete = "DELETE"
    }

    package struct Request: Sendable {
        package var method: Method
        package var url: String
        package var headers: [(name: String, value: String)]
        package var body: [UInt8]

        package init(
            _ method: Method, _ url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []
        ) {
            (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
        }
    }

    package struct Answer: Equatable, Sendable {
        package var status: Int
        /// The headers by their names in lower case.
        package var headers: [String: String] = [:]
        package var body: [UInt8] = []

        package init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
            (self.status, self.headers, self.body) = (status, headers, body)
        }
    }

    package enum Outcome: Equatable, Sendable {
        case answered(Answer)
        /// There was no answer. The text says why, for a person to read.
        case failed(String)
    }

    /// - Parameters:
    ///   - seconds: the time for a whole request.
    ///   - longestBody: the most bytes of an answer; a request with a longer one fails.
    package init(seconds: Int, longestBody: Int) {
        (self.seconds, self.longestBody) = (seconds, longestBody)
    }

    /// Sends a request and waits for the answer.
    package func perform(_ request: Request) -> Outcome {
        let exchange = idle.withLock { $0.popLast() } ?? Exchange()
        defer { idle.withLock { $0.append(exchange) } }
        return exchange.perform(request, seconds: seconds, longestBody: longestBody)
    }
}

/// One connection, and the answer to its present request as it comes. One thread at a time uses it.
private final class Exchange: @unchecked Sendable {
    // @unchecked: it is in the hands of one request, or among the idle ones.
    private let curl = CurlHandle()
    private var headers: [String: String] = [:]
    private var body: [UInt8] = []
    private var longestBody = 0
    private var isTooLong = false

    /// The most bytes of the headers of an answer.
    private static let longestHeaders = 65_536
    private var headerBytes = 0

    func perform(_ request: HTTPRequester.Request, seconds: Int, longestBody: Int) -> HTTPRequester.Outcome {
        (headers, body, headerBytes, isTooLong, self.longestBody) = ([:], [], 0, false, longestBody)
        curl.begin(request.url, [(CURLOPT_TIMEOUT, seconds), (CURLOPT_NOBODY, request.method == .head ? 1 : 0)])
        let context = Unmanaged.passUnretained(self).toOpaque()
        CurlHandle.require(ccurl_set_sink(curl.pointer, Self.header, Self.body, context))
        // libcurl would read a body without an address from standard input: an empty one has an address by the zero.
        let code = (request.body + [0]).withUnsafeBytes { bytes in
            if [.put, .post].contains(request.method) {
                CurlHandle.require(ccurl_set_body(curl.pointer, bytes.baseAddress, request.body.count))
            }
            if [.put, .delete].contains(request.method) {
                CurlHandle.require(ccurl_set_text(curl.pointer, CURLOPT_CUSTOMREQUEST, request.method.rawValue))
            }
            return curl.perform(request.headers)
        }
        guard code == CURLE_OK else {
            return .failed(isTooLong ? "the answer has more than \(longestBody) bytes" : code.text)
        }
        return .answered(.init(status: ccurl_status(curl.pointer), headers: headers, body: body))
    }

    private static let header: ccurl_bytes = { bytes, size, count, context in
        of(context).addHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }

    private static let body: ccurl_bytes = { bytes, size, count, context in
        of(context).addBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> Exchange {
        guard let context else { preconditionFailure("libcurl has lost the context") }
        return Unmanaged.fromOpaque(context).takeUnretainedValue()
    }

    private func addHeader(_ line: UnsafeRawBufferPointer) -> Int {
        headerBytes += line.count
        guard headerBytes <= Self.longestHeaders else { return 0 }
        let text = String(decoding: line, as: UTF8.self)
        // The header of `100 Continue` comes first, and that of the answer after it.
        if text.hasPrefix("HTTP/") { (headers, body) = ([:], []) }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return line.count }
        let value = parts[1].drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
        headers[parts[0].lowercased()] = String(value)
        return line.count
    }

    private func addBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard body.count + bytes.count <= longestBody else {
            isTooLong = true
            return 0
        }
        body += bytes
        return bytes.count
    }
}
