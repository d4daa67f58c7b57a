import ChatWire
import Files
import WebSocketTransport

extension HTTPResponse {
    static func preflight(_ request: HTTPRequest, _ reply: Reply, _ methods: String) -> HTTPResponse {
        request.askedMethod == nil ? .allowing(methods) : reply.crossOrigin.preflight(allowing: methods)
    }

    static func uploaded(_ file: Attachment) -> HTTPResponse {
        HTTPResponse(
            status: 201, headers: [("content-type", "application/json"), ("cache-control", "no-store")],
            body: file.json)
    }

    static func refusal(_ refusal: FileRefusal) -> HTTPResponse {
        var response = HTTPResponse.error(WireError(refusal))
        if case .otherOffset(let count) = refusal { response.headers += .offset(count) }
        return response
    }

    /// Leads to a file that is elsewhere. A `HEAD` is answered here: the address is for `GET`.
    static func redirect(
        to url: String, _ stored: StoredFile, _ use: FileUse, for request: HTTPRequest, seconds: Int
    ) -> HTTPResponse {
        guard request.method == .get else {
            var response = HTTPResponse(status: 200, headers: stored.headers(for: use, until: .now))
            response.file = FilePart(descriptor: -1, start: 0, count: UInt64(stored.file.size))
            return response
        }
        let headers = [("location", url), ("cache-control", "private, max-age=\(seconds)")]
        return HTTPResponse(status: 307, headers: headers + [("referrer-policy", "no-referrer")])
    }

    /// Returns a file, or the part of it that a request names. It runs no script in the page's origin.
    static func file(
        _ stored: StoredFile, _ file: DiskFile, _ use: FileUse, for request: HTTPRequest, until: Milliseconds
    ) -> HTTPResponse {
        let size = stored.file.size
        var response = HTTPResponse(
            status: 200, headers: stored.headers(for: use, until: until))
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
    static func offset(_ count: Int) -> Self {
        [("upload-offset", "\(count)"), ("cache-control", "no-store")]
    }
}

extension StoredFile {
    fileprivate var tag: String { "\"\(file.sha256.prefix(32))\"" }

    fileprivate func headers(for use: FileUse, until: Milliseconds) -> [(name: String, value: String)] {
        let seconds = max(0, (until - .now) / 1_000)
        return presentation(for: use) + [
            ("x-content-type-options", "nosniff"), ("content-security-policy", "default-src 'none'; sandbox"),
            ("referrer-policy", "no-referrer"), ("accept-ranges", "bytes"), ("etag", tag),
            ("cache-control", "private, max-age=\(seconds), immutable"),
        ]
    }
}

extension WireError {
    static let tooManyFiles = WireError(
        .overloaded, "too many files are on their way: send it again", retryAfter: 1_000)
    static let noFile = WireError(.noFile, "this file is not there any more: it goes with its message")
    static let notThere = WireError(
        .noFile,
        "the bytes are not there yet: PUT them at `url`, with the `headers` of `uploading`, and post this again")
    static let isWritten = WireError(
        .offset, "another request sends this file at present: wait for its end, then see `upload-offset` by HEAD",
        retryAfter: 1_000)
    static let noSpace = WireError(
        .diskFull, "the server's disk is full; what has come of the file is kept: go on later", retryAfter: 5_000)
    static let brokenOff = WireError(
        .notWritable, "the file did not come whole: what has come is kept: go on where `upload-offset` says",
        retryAfter: 1_000)
    static let filesFail = WireError(
        .notWritable, "the server cannot keep or read files at present: try again", retryAfter: 5_000)

    static func otherOffset(_ count: Int) -> WireError {
        WireError(.offset, "the file has \(count) bytes here: go on there, with Content-Range")
    }

    static func otherChecksum(_ found: String) -> WireError {
        WireError(
            .checksum, "the bytes have the SHA-256 \(found), not the one that was announced: send all of them again")
    }

    static func wrongPart(of size: Int) -> WireError {
        WireError(
            .invalid,
            "the body must be the file's \(size) bytes, or a part as in: Content-Range: bytes 0-\(size - 1)/\(size)",
            field: "content-range")
    }

    /// The error of a refusal that may also come before the upload begins.
    init(_ refusal: FileRefusal) {
        switch refusal {
        case .tooMuch(.user, let most):
            self = WireError(
                .userFiles,
                "your files would have more than \(most) bytes: delete messages with files, or wait a day for uploads without one to go"
            )
        case .tooMuch(.room(let room), let most):
            self = WireError(
                .roomFiles,
                "the files of \(room) would have more than \(most) bytes: delete messages with files, or wait a day for uploads without one to go"
            )
        case .tooManyUploads: self = .tooManyFiles
        case .isWritten: self = .isWritten
        case .isGone: self = .noFile
        case .isMissing: self = .notThere
        case .otherOffset(let count): self = .otherOffset(count)
        case .otherChecksum(let found): self = .otherChecksum(found)
        }
    }
}
