internal import CChatSocket

/// A complete plain HTTP request on the server's port.
package struct HTTPRequest: Equatable, Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
        case options = "OPTIONS"
    }

    package var method: Method
    /// The path, without the query; `*` for the whole server.
    package var path: String
    /// The method that a browser's preflight asks about; `nil` for any other request.
    package var askedMethod: String?
    /// The query, percent-encoded and without the question mark; `nil` when there is none.
    package var query: String?
    /// The headers that the application asks for, by lower-case name.
    package var headers: [String: String]
    /// Empty for a `PUT`.
    package var body: [UInt8]
    /// The length of the body of a `PUT`, which ``WebSocketServer/saveBody(of:into:at:)`` writes into a file.
    package var bodyToCome: UInt64
    /// The peer's numeric address.
    package var address: String

    init(_ raw: chatsock_request) {
        let name = String(cString: raw.method)
        guard let method = Method(rawValue: name) else { preconditionFailure("\(name) was handed up as a method") }
        self.method = method
        path = String(cString: raw.path)
        askedMethod = string(raw.asked_method)
        query = string(raw.query)
        body = Array(UnsafeBufferPointer(start: raw.body, count: raw.body_count))
        bodyToCome = raw.body_to_come
        address = String(cString: raw.address)
        let named = [
            ("authorization", raw.authorization), ("if-none-match", raw.if_none_match),
            ("content-type", raw.content_type), ("accept", raw.accept),
            ("accept-encoding", raw.accept_encoding), ("idempotency-key", raw.idempotency_key),
            ("range", raw.range), ("content-range", raw.content_range), ("origin", raw.origin),
            ("x-forwarded-for", raw.forwarded_for),
        ]
        headers = [:]
        for (name, value) in named {
            headers[name] = string(value)
        }
    }
}

/// A part of a file that is the body of an answer. The server reads it piece by piece, as the peer takes it.
///
/// - Errors: the connection breaks when the file has fewer bytes, or cannot be read.
package struct FilePart: Equatable, Sendable {
    /// ``WebSocketServer/respond(to:_:)`` closes it in any case. The answer to a `HEAD` needs none, but -1.
    package var descriptor: Int32
    /// In bytes, as ``count`` is.
    package var start: UInt64
    package var count: UInt64

    package init(descriptor: Int32, start: UInt64, count: UInt64) {
        self.descriptor = descriptor
        self.start = start
        self.count = count
    }
}

/// The answer to a request. The server adds `content-length` and `connection`, and leaves out the body of a `HEAD`.
package struct HTTPResponse: Equatable, Sendable {
    package var status: Int
    /// The headers, with lower-case names. A header whose value has a line break is left out.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// The body instead of ``body``.
    package var file: FilePart?

    package init(
        status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = [], file: FilePart? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.file = file
    }

    package static func == (a: HTTPResponse, b: HTTPResponse) -> Bool {
        a.status == b.status && a.body == b.body && a.file == b.file && a.headers.elementsEqual(b.headers, by: ==)
    }

    /// Calls `use` with the C form, whose parts live until it returns.
    func withRaw(_ use: (chatsock_response) -> Void) {
        withCStrings(headers.map { "\($0.name): \($0.value)" }) { lines in
            lines.withUnsafeBufferPointer { lines in
                body.withUnsafeBufferPointer { bytes in
                    use(
                        chatsock_response(
                            status: UInt32(clamping: status), headers: lines.baseAddress, header_count: lines.count,
                            body: bytes.baseAddress, body_count: bytes.count, has_file: file != nil,
                            file: file?.descriptor ?? -1, file_start: file?.start ?? 0,
                            file_count: file?.count ?? 0))
                }
            }
        }
    }
}
