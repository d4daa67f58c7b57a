package import JSON

extension FileDescription {
    package func write(to json: inout JSONWriter) {
        json.string("name", name)
        json.string("media", media)
        json.number("size", size)
        json.string("sha256", sha256)
    }

    /// Reads what is known of a file, and checks it.
    package init(_ fields: Fields) throws(WireError) {
        let (name, media) = (try fields.text("name"), try fields.text("media"))
        let (size, sha256) = (try fields.count("size"), try fields.text("sha256"))
        guard Self.isName(name) else {
            throw fields.misshapen(
                "name", name,
                "1 to \(Self.longestName) bytes with something to see, without slashes, control characters and marks of direction"
            )
        }
        guard Self.isMediaType(media) else {
            throw fields.misshapen("media", media, "a media type in lower case, such as image/png")
        }
        guard Self.isChecksum(sha256) else {
            throw fields.misshapen("sha256", sha256, "64 hexadecimal digits in lower case")
        }
        guard let file = FileDescription(name: name, media: media, size: size, sha256: sha256) else {
            throw fields.error("size", "\(size) is not right, must be 1 or more")
        }
        self = file
    }
}

extension Attachment {
    package func write(to json: inout JSONWriter) {
        json.object { json in
            json.id("id", id)
            file.write(to: &json)
            if let dimensions {
                json.number("width", dimensions.width)
                json.number("height", dimensions.height)
            }
            if let duration { json.number("duration", duration) }
            if let preview { json.string("preview", preview) }
            if let proof { json.string("proof", proof) }
        }
    }

    init(_ fields: Fields) throws(WireError) {
        let width = try fields.optionalNatural("width")
        let height = try fields.optionalNatural("height")
        var dimensions: Dimensions?
        if let width, let height { dimensions = Dimensions(width: Int(width), height: Int(height)) }
        self.init(
            id: try fields.id("id"), try FileDescription(fields), dimensions: dimensions,
            duration: try fields.optionalMilliseconds("duration"), preview: try fields.optionalText("preview"),
            proof: try fields.optionalText("proof"))
    }

    /// The object by itself.
    package var json: [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        return json.bytes
    }

    /// Reads the answer to an upload.
    package init(uploaded json: [UInt8]) throws(WireError) {
        try self.init(Fields(body: json))
    }

    /// Checks what only a client says.
    fileprivate func check(_ fields: Fields) throws(WireError) {
        let sides = [("width", dimensions?.width), ("height", dimensions?.height)]
        for (name, pixels) in sides where fields.optional(name) != nil {
            guard let pixels else {
                throw fields.error(name, "came without the other side: send `width` and `height`, or neither")
            }
            guard (1...100_000).contains(pixels) else {
                throw fields.error(name, "\(pixels) is not between 1 and 100000")
            }
        }
        guard let preview else { return }
        let size = preview.utf8.count
        guard size <= Self.longestPreview else {
            throw fields.error("preview", "has \(size) bytes, must be at most \(Self.longestPreview)", .tooLong)
        }
        guard PreviewPicture.isPreview(preview) else {
            let longest = PreviewPicture.longest
            throw fields.error(
                "preview", "must be a JPEG or WebP of at most \(longest) by \(longest) pixels, in base64")
        }
    }
}

extension Fields {
    /// The files of a message that was committed.
    func knownFiles() throws(WireError) -> [Attachment] {
        var files: [Attachment] = []
        for (index, value) in try elements("files").enumerated() {
            files.append(try Attachment(Fields(value, path: name("files"), index: index)))
        }
        return files
    }

    /// The files of a message that a client sends, checked but for their proofs.
    func sentFiles(_ limits: WireLimits) throws(WireError) -> [Attachment] {
        let values = try elements("files")
        guard !values.isEmpty else { return [] }
        guard limits.files > 0 else {
            throw error("files", "this server keeps no files: send the message without them", .noFiles)
        }
        guard values.count <= limits.files else {
            throw error("files", "has \(values.count) files, may have \(limits.files)", .tooMany)
        }
        var files: [Attachment] = []
        for (index, value) in values.enumerated() {
            let fields = try Fields(value, path: name("files"), index: index)
            let file = try Attachment(fields)
            try file.check(fields)
            guard file.proof != nil else { throw fields.missing("proof", "must be there as the upload was answered") }
            guard !files.contains(where: { $0.id == file.id }) else { throw fields.error("id", "stands there twice") }
            files.append(file)
        }
        return files
    }
}
