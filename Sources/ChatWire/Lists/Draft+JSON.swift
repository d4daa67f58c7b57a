package import JSON

extension Draft: WireRow {
    package static let rowWithoutSection = Section.drafts

    package func writeContent(to json: inout JSONWriter) {
        Self.write(light, to: &json)
    }

    package static func write(_ light: Light, to json: inout JSONWriter) {
        light.content.write(to: &json)
        json.number("time", light.time)
    }

    package static func light(_ fields: Fields) throws(WireError) -> Light {
        Light(content: try MessageContent(known: fields), time: try fields.milliseconds("time"))
    }

    package init(_ fields: Fields, section: Section) throws(WireError) {
        self.init(
            id: try fields.knownRoom("id", fields.required("id", "a string")), sort: try fields.natural("sort"),
            rev: try fields.natural("rev"), tag: try fields.optionalID("tag"), light: try Self.light(fields))
    }
}

extension MessageContent {
    /// Reads the content of a draft that a client sends, and checks it as that of a message; `nil` for none, without a text.
    init?(draft fields: Fields, _ limits: WireLimits) throws(WireError) {
        guard fields.optional("text") != nil else { return nil }
        try self.init(kept: fields, limits)
    }

    /// Reads the content of a message that a client sends to be kept and not posted, and checks it as that of a message.
    init(kept fields: Fields, _ limits: WireLimits) throws(WireError) {
        guard fields.optional("files") == nil else {
            throw fields.error("files", "a message that is not sent has none: upload them when it is sent")
        }
        guard fields.optional("open") == nil else {
            throw fields.error("open", "a message that is not sent has none: only a message that is sent grows")
        }
        try self.init(sent: fields, limits)
    }
}
