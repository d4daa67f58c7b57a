package import JSON

extension LaterItem: WireRow {
    package static let rowWithoutSection = Section.waiting

    package func writeContent(to json: inout JSONWriter) {
        Self.write(light, to: &json)
    }

    package static func write(_ light: Light, to json: inout JSONWriter) {
        light.plan.write(to: &json)
        if let refusal = light.refusal { json.object("refused") { refusal.writeFields(to: &$0) } }
    }

    package static func light(_ fields: Fields) throws(WireError) -> Light {
        let refusal = try fields.optional("refused").map { (value) throws(WireError) in
            try WireError(Fields(value, path: "refused"))
        }
        return Light(try Plan(known: fields), refusal: refusal)
    }

    package init(_ fields: Fields, section: Section) throws(WireError) {
        self.init(
            id: try fields.id("id"), section: section, sort: try fields.natural("sort"), rev: try fields.natural("rev"),
            tag: try fields.optionalID("tag"), light: try Self.light(fields))
    }
}

extension LaterItem.Light {
    /// The form in which stores keep it: the JSON object of a row's light fields.
    package var stored: String {
        var json = JSONWriter()
        json.object { LaterItem.write(self, to: &$0) }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Reads the stored form; `nil` if it is damaged.
    package init?(stored text: String) {
        do {
            self = try LaterItem.light(try Envelope(Array(text.utf8)).fields())
        } catch {
            return nil
        }
    }
}

extension LaterItem.Plan {
    func write(to json: inout JSONWriter) {
        json.string("room", room.description)
        json.number("at", at)
        switch action {
        case .send(let content): content.write(to: &json)
        case .remind(let message): json.id("message", message)
        }
    }

    /// Reads the plan of an item that was stored.
    fileprivate init(known fields: Fields) throws(WireError) {
        let action =
            if let message = try fields.optionalID("message") {
                LaterItem.Action.remind(message)
            } else {
                LaterItem.Action.send(try MessageContent(known: fields))
            }
        self.init(
            action, in: try fields.knownRoom("room", fields.required("room", "a string")),
            at: try fields.milliseconds("at"))
    }

    /// Reads the plan that a client sends, and checks its content as that of a message; `nil` for none, without a time.
    init?(sent fields: Fields, _ limits: WireLimits) throws(WireError) {
        let message = try fields.optionalID("message")
        guard fields.optional("at") != nil else {
            for key in ["room", "message"] + MessageContent.fields where fields.optional(key) != nil {
                throw fields.missing("at", "must be the time of the message or reminder; id alone cancels")
            }
            return nil
        }
        let (room, time): (RoomName, Milliseconds) = (try fields.name("room"), try fields.milliseconds("at"))
        guard let message else {
            guard fields.optional("text") != nil else {
                throw fields.missing(
                    "text", "must be the text to send, or message the id of a message to be reminded of")
            }
            self.init(.send(try MessageContent(kept: fields, limits)), in: room, at: time)
            return
        }
        for key in MessageContent.fields where fields.optional(key) != nil {
            throw fields.error(key, "a reminder has none: message names the message")
        }
        self.init(.remind(message), in: room, at: time)
    }
}
