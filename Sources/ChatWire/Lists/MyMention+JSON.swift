package import JSON

extension MyMention: WireRow {
    package typealias Page = MentionsPage

    package static let rowWithoutSection = Section.mentions

    package static func write(_ id: ID, as key: String?, to json: inout JSONWriter) {
        json.string(key, id.description)
    }

    package static func id(_ key: String, _ value: JSONValue, of fields: Fields) throws(WireError) -> ID {
        guard let text = value.string else { throw fields.mismatch(key, value, "a string") }
        guard let id = ID(text) else { throw fields.misshapen(key, text, "a room's name, a slash and a message's id") }
        return id
    }

    package static func id(known text: String) -> ID? { ID(text) }

    package func writeContent(to json: inout JSONWriter) {
        json.string("room", id.room.description)
        json.id("message", id.message)
        json.string("author", author.description)
        json.number("time", time)
        Self.write(light, to: &json)
    }

    package static func write(_ light: Light, to json: inout JSONWriter) {
        json.string("text", light.text)
        json.boolean("read", light.isRead)
    }

    package static func light(_ fields: Fields) throws(WireError) -> Light {
        Light(text: try fields.text("text"), isRead: try fields.boolean("read"))
    }

    package init(_ fields: Fields, section: Section) throws(WireError) {
        let id = try Self.id("id", fields.required("id", "a string"), of: fields)
        guard try fields.knownRoom("room", fields.required("room", "a string")) == id.room else {
            throw fields.error("room", "is not the room of the id")
        }
        guard try fields.id("message") == id.message else {
            throw fields.error("message", "is not the message of the id")
        }
        self.init(
            id: id, sort: try fields.natural("sort"), rev: try fields.natural("rev"), tag: try fields.optionalID("tag"),
            author: try fields.user("author", .known), time: try fields.milliseconds("time"),
            light: try Self.light(fields))
    }
}

extension MyMention.ID {
    /// `nil` unless the text is a room's name, a slash and a UUID.
    fileprivate init?(_ text: String) {
        // A thread's name has slashes itself.
        guard let end = text.lastIndex(of: "/"), let room = RoomName(known: String(text[..<end])),
            let message = MessageID(String(text[end...].dropFirst()))
        else { return nil }
        self.init(room: room, message: message)
    }
}
