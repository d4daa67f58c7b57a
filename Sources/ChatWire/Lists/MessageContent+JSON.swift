package import JSON

extension MessageContent {
    /// The names of the content's fields, and of those that an edit replaces.
    package static let fields = ["text", "replyTo", "mentions", "everyone", "data", "files", "open", "away"]
    package static let editedFields = fields.filter { !["replyTo", "files", "open", "away"].contains($0) }

    package func write(to json: inout JSONWriter) {
        json.string("text", text)
        if let replyTo { json.id("replyTo", replyTo) }
        json.mentions(mentions)
        if let data { json.value("data", data.bytes) }
        if !files.isEmpty { json.array("files", files) { $1.write(to: &$0) } }
        json.growth(growth)
        if isAway { json.boolean("away", true) }
    }

    /// Reads the content of a message that was committed.
    init(known fields: Fields) throws(WireError) {
        let people = fields.optional("mentions") == nil ? [] : try fields.knownUsers("mentions")
        self.init(
            try fields.text("text"), replyTo: try fields.optionalID("replyTo"),
            mentions: Mentioned(people, everyone: try fields.optionalBoolean("everyone") ?? false),
            data: try fields.data(atMost: .max), files: try fields.knownFiles(), growth: try fields.growth(),
            isAway: try fields.optionalBoolean("away") ?? false)
    }

    /// Reads what a client sends, and checks it. The text gets the form in which it is stored.
    init(sent fields: Fields, _ limits: WireLimits) throws(WireError) {
        let data = try fields.data(atMost: limits.data)
        let isOpen = try fields.optionalBoolean("open") ?? false
        self.init(
            try isOpen ? fields.piece(limits) : fields.messageText(limits), replyTo: try fields.optionalID("replyTo"),
            mentions: try fields.mentions(limits), data: data?.isEmpty == true ? nil : data,
            files: try fields.sentFiles(limits), growth: isOpen ? .open : nil,
            isAway: try fields.optionalBoolean("away") ?? false)
    }
}

extension ContentEdit {
    package func write(to json: inout JSONWriter) {
        if let text {
            json.string("text", text)
            json.mentions(mentions)
        }
        if let data { json.value("data", data.bytes) }
    }

    /// Reads what a client sends, and checks it. The text gets the form in which it is stored.
    init(_ fields: Fields, _ limits: WireLimits) throws(WireError) {
        let data = try fields.data(atMost: limits.data)
        self.init(data: data)
        guard fields.optional("text") != nil || data == nil else { return }
        (text, mentions) = (try fields.messageText(limits), try fields.mentions(limits))
    }
}

extension GrowthStep {
    /// The type of frame that asks for it.
    package var kind: String {
        switch self {
        case .append: "append"
        case .close: "close"
        }
    }

    package func write(to json: inout JSONWriter) {
        switch self {
        case .append(let text, let size):
            json.number("at", UInt64(size))
            json.string("text", text)
        case .close(let ending): if let ending { json.string("ended", ending.rawValue) }
        }
    }

    /// Reads what a client appends. The text gets the form in which it is stored.
    init(append fields: Fields, _ limits: WireLimits) throws(WireError) {
        let size = try fields.count("at")
        let piece = try fields.piece(limits)
        guard !piece.isEmpty else {
            throw fields.error("text", "has nothing that can be stored, must have 1 to \(limits.text) bytes")
        }
        self = .append(piece, at: size)
    }

    init(close fields: Fields) throws(WireError) {
        self = .close(try fields.ending(among: Growth.Ending.given))
    }
}

extension JSONWriter {
    mutating func growth(_ growth: Growth?) {
        switch growth {
        case .open: boolean("open", true)
        case .ended(let ending): string("ended", ending.rawValue)
        case nil: break
        }
    }

    fileprivate mutating func mentions(_ mentions: Mentioned) {
        if !mentions.people.isEmpty { array("mentions", mentions.people) { $0.string(nil, $1.description) } }
        if mentions.everyone { boolean("everyone", true) }
    }
}

// MARK: - In a store

extension MessageContent {
    /// The character before the JSON object. No text that is entered begins with it, and hardly one of the versions that
    /// took control characters begins with it and a brace.
    private static let mark: Unicode.Scalar = "\u{1}"

    /// The form in which stores keep the content: the text alone, or the mark and the JSON object of all fields.
    ///
    /// ```swift
    /// MessageContent("hello").stored                      // hello
    /// MessageContent("hello", replyTo: question).stored   // ␁{"text":"hello","replyTo":"…"}
    /// ```
    package var stored: String {
        guard self != MessageContent(text) || text.unicodeScalars.first == Self.mark else { return text }
        var json = JSONWriter()
        json.object { write(to: &$0) }
        return "\(Self.mark)" + String(decoding: json.bytes, as: UTF8.self)
    }

    /// Reads a stored content; `nil` if it is damaged.
    package init?(stored text: String) {
        guard text.utf8.starts(with: [UInt8(Self.mark.value), UInt8(ascii: "{")]) else {
            self.init(text)
            return
        }
        do {
            try self.init(known: try Envelope(Array(text.utf8.dropFirst())).fields())
        } catch {
            return nil
        }
    }
}

extension Fields {
    func growth() throws(WireError) -> Growth? {
        if try optionalBoolean("open") ?? false { return .open }
        return try ending(among: Growth.Ending.allCases).map(Growth.ended)
    }

    fileprivate func ending(among endings: [Growth.Ending]) throws(WireError) -> Growth.Ending? {
        guard let text = try optionalText("ended") else { return nil }
        guard let ending = Growth.Ending(rawValue: text), endings.contains(ending) else {
            let known = endings.map(\.rawValue).joined(separator: " or ")
            throw misshapen("ended", text, "\(known), or missing")
        }
        return ending
    }

    fileprivate func mentions(_ limits: WireLimits) throws(WireError) -> Mentioned {
        let people = try users("mentions", .entered, most: limits.mentions)
        return Mentioned(people, everyone: try optionalBoolean("everyone") ?? false)
    }

    /// - Parameter limit: in bytes.
    fileprivate func data(atMost limit: Int) throws(WireError) -> AppData? {
        guard let value = optional("data") else { return nil }
        guard value.kind == .object else { throw mismatch("data", value, "an object") }
        let size = value.sourceBytes.count
        guard size <= limit else { throw error("data", "has \(size) bytes, must be at most \(limit)", .tooLong) }
        guard let data = AppData(value) else {
            throw error("data", "has over \(AppData.depth) objects and arrays inside each other")
        }
        return data
    }

    /// Reads a message's text, in the form in which it is stored.
    fileprivate func messageText(_ limits: WireLimits) throws(WireError) -> String {
        guard try !text("text").isEmpty else { throw error("text", "is empty, must be 1 to \(limits.text) bytes") }
        let text = try piece(limits)
        guard text.hasSomethingToSee else {
            throw error("text", "has no visible character, must have one")
        }
        return text
    }

    /// Reads a part of a text, in the form in which it is stored. It may be empty, or be of spaces alone.
    fileprivate func piece(_ limits: WireLimits) throws(WireError) -> String {
        let text = EnteredText(try text("text")).text
        let size = text.utf8.count
        guard size <= limits.text else {
            throw error("text", "has \(size) bytes, must be 1 to \(limits.text)", .tooLong)
        }
        return text
    }
}
