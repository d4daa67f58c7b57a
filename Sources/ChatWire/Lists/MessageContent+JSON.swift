package import JSON

extension MessageContent {
    /// The names of the content's fields, and of those that an edit replaces.
    package static let fields = ["text", "replyTo", "mentions", "everyone"]
    package static let editedFields = fields.filter { $0 != "replyTo" }

    package func write(to json: inout JSONWriter) {
        json.string("text", text)
        if let replyTo { json.id("replyTo", replyTo) }
        if !mentions.people.isEmpty { json.array("mentions", mentions.people) { $0.string(nil, $1.description) } }
        if mentions.everyone { json.boolean("everyone", true) }
    }

    /// Reads the content of a message that was committed.
    init(known fields: Fields) throws(WireError) {
        let people = fields.optional("mentions") == nil ? [] : try fields.knownUsers("mentions")
        self.init(
            try fields.text("text"), replyTo: try fields.optionalID("replyTo"),
            mentions: Mentioned(people, everyone: try fields.optionalBoolean("everyone") ?? false))
    }

    /// Reads what a client sends, and checks it. The text gets the form in which it is stored.
    init(sent fields: Fields, _ limits: WireLimits) throws(WireError) {
        try self.init(edit: fields, limits)
        replyTo = try fields.optionalID("replyTo")
    }

    /// Reads that by which a client replaces a content.
    init(edit fields: Fields, _ limits: WireLimits) throws(WireError) {
        let people = try fields.users("mentions", .entered, most: limits.mentions)
        self.init(
            try fields.messageText(limits),
            mentions: Mentioned(people, everyone: try fields.optionalBoolean("everyone") ?? false))
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
    /// Reads a message's text, in the form in which it is stored.
    fileprivate func messageText(_ limits: WireLimits) throws(WireError) -> String {
        let entered = try text("text")
        guard !entered.isEmpty else { throw error("text", "is empty, must be 1 to \(limits.text) bytes") }
        let text = EnteredText(entered).text
        let size = text.utf8.count
        guard size <= limits.text else {
            throw error("text", "has \(size) bytes, must be 1 to \(limits.text)", .tooLong)
        }
        guard text.hasSomethingToSee else {
            throw error("text", "has no visible character, must have one")
        }
        return text
    }
}
