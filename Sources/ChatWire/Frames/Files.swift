import JSON

/// A request to upload a file for a message that is to be sent.
public struct UploadRequest: Equatable, Sendable {
    public let room: RoomName
    /// The id that the message will have.
    public let message: MessageID
    public let file: FileDescription

    public init(room: RoomName, message: MessageID, file: FileDescription) {
        (self.room, self.message, self.file) = (room, message, file)
    }
}

/// The answer to an ``UploadRequest``: where the bytes are to go.
public struct UploadPermit: Equatable, Sendable {
    public let file: FileID
    /// An absolute URL, or a path on the server that answered.
    public let url: String
    /// The time of day until which the URL works.
    public let until: Milliseconds
    /// The headers with which the bytes must be put.
    public let headers: [String: String]
    /// The URL to which an empty request is posted once the bytes are at ``url``, for the answer that the upload has; `nil` where
    /// the answer to the bytes is that.
    public let confirm: String?

    public init(
        file: FileID, url: String, until: Milliseconds, headers: [String: String] = [:], confirm: String? = nil
    ) {
        (self.file, self.url, self.until) = (file, url, until)
        (self.headers, self.confirm) = (headers, confirm)
    }
}

/// A request for links to files of messages in one room.
public struct LinksRequest: Equatable, Sendable {
    /// The most files of one request.
    public static let most = 100

    public let room: RoomName
    public let files: [FilePlace]

    public init(room: RoomName, files: [FilePlace]) { (self.room, self.files) = (room, files) }
}

/// A file among those of its room.
public struct FilePlace: Hashable, Sendable {
    public let message: MessageID
    public let file: FileID

    public init(message: MessageID, file: FileID) { (self.message, self.file) = (message, file) }
}

/// The answer to a ``LinksRequest``: a URL for each file, in their order.
public struct FileLinks: Equatable, Sendable {
    /// Absolute URLs, or paths on the server that answered.
    public let urls: [String]
    /// The time of day until which the URLs work.
    public let until: Milliseconds

    public init(urls: [String], until: Milliseconds) { (self.urls, self.until) = (urls, until) }
}

// MARK: - JSON

extension UploadRequest {
    func write(to json: inout JSONWriter) {
        json.string("room", room.description)
        json.id("message", message)
        file.write(to: &json)
    }

    init(_ fields: Fields, _ limits: WireLimits) throws(WireError) {
        self.init(
            room: try fields.name("room"), message: try fields.id("message"), file: try FileDescription(fields))
        guard limits.files > 0 else {
            throw WireError(.noFiles, "this server keeps no files: its operator starts it with --files to change that")
        }
        guard file.size <= limits.fileBytes else {
            throw fields.error("size", "\(file.size) bytes are too many, a file may have \(limits.fileBytes)", .tooLong)
        }
    }
}

extension UploadPermit {
    func write(to json: inout JSONWriter) {
        json.string("type", ServerFrame.Kind.uploading.rawValue)
        json.id("file", file)
        json.string("url", url)
        json.number("until", until)
        guard let confirm else { return }
        json.object("headers") { json in
            for (name, value) in headers.sorted(by: { $0.key < $1.key }) { json.string(name, value) }
        }
        json.string("confirm", confirm)
    }

    init(_ fields: Fields) throws(WireError) {
        self.init(
            file: try fields.id("file"), url: try fields.text("url"), until: try fields.milliseconds("until"),
            headers: try Self.headers(fields), confirm: try fields.optionalText("confirm"))
    }

    private static func headers(_ fields: Fields) throws(WireError) -> [String: String] {
        var headers: [String: String] = [:]
        for (name, _, value) in fields.optional("headers")?.members ?? [] {
            guard let text = value.string else {
                throw fields.mismatch("headers", value, "an object of strings")
            }
            headers[name] = text
        }
        return headers
    }
}

extension LinksRequest {
    func write(to json: inout JSONWriter) {
        json.string("room", room.description)
        json.array("files", files) { json, place in
            json.object { json in
                json.id("message", place.message)
                json.id("id", place.file)
            }
        }
    }

    init(_ fields: Fields) throws(WireError) {
        let values = try fields.elements("files")
        guard (1...Self.most).contains(values.count) else {
            throw fields.error("files", "has \(values.count) files, must have 1 to \(Self.most)")
        }
        var files: [FilePlace] = []
        for (index, value) in values.enumerated() {
            let place = try Fields(value, path: "files", index: index)
            files.append(FilePlace(message: try place.id("message"), file: try place.id("id")))
        }
        self.init(room: try fields.name("room"), files: files)
    }
}

extension FileLinks {
    func write(to json: inout JSONWriter) {
        json.string("type", ServerFrame.Kind.links.rawValue)
        json.array("urls", urls) { $0.string(nil, $1) }
        json.number("until", until)
    }

    init(_ fields: Fields) throws(WireError) {
        var urls: [String] = []
        for value in try fields.elements("urls") {
            guard let url = value.string else { throw fields.mismatch("urls", value, "an array of strings") }
            urls.append(url)
        }
        self.init(urls: urls, until: try fields.milliseconds("until"))
    }
}

extension Fields {
    package func room(_ key: String) throws(WireError) -> RoomName { try name(key) }
}
