package import JSON

extension MyRoom: WireRow {
    package static let rowWithoutSection = Section.rooms

    package func writeContent(to json: inout JSONWriter) {
        if !people.isEmpty { json.array("people", people) { $0.string(nil, $1.description) } }
        Self.write(light, to: &json)
    }

    package static func write(_ light: Light, to json: inout JSONWriter) {
        json.number("unread", light.unread)
        json.number("mentions", light.mentions)
        json.number("read", light.read)
        if let inviter = light.inviter { json.string("by", inviter.description) }
        if let title = light.title { json.string("title", title.description) }
        if let picture = light.picture { json.string("picture", picture.description) }
        if light.isMuted { json.boolean("muted", true) }
        if light.isMarked { json.boolean("marked", true) }
        if let last = light.last { last.write("last", to: &json) }
        if let root = light.root { root.write("root", to: &json) }
        if light.isTyping { json.boolean("typing", true) }
        if light.isHere { json.boolean("here", true) }
    }

    package static func light(_ fields: Fields) throws(WireError) -> Light {
        Light(
            unread: try fields.natural("unread"), mentions: try fields.natural("mentions"),
            read: try fields.natural("read"),
            inviter: try fields.optional("by") == nil ? nil : fields.user("by", .known),
            title: try fields.optional("title") == nil ? nil : fields.title("title", .known),
            picture: try fields.optional("picture") == nil ? nil : fields.picture("picture"),
            isMuted: try fields.optionalBoolean("muted") ?? false,
            isMarked: try fields.optionalBoolean("marked") ?? false,
            last: try fields.lastMessage("last"), root: try fields.lastMessage("root"),
            isTyping: try fields.optionalBoolean("typing") ?? false,
            isHere: try fields.optionalBoolean("here") ?? false)
    }

    package init(_ fields: Fields, section: Section) throws(WireError) {
        self.init(
            id: try fields.knownRoom("id", fields.required("id", "a string")), section: section,
            sort: try fields.natural("sort"), rev: try fields.natural("rev"), tag: try fields.optionalID("tag"),
            people: try fields.knownUsers("people"), light: try Self.light(fields))
    }
}

extension LastMessage {
    fileprivate func write(_ key: String, to json: inout JSONWriter) {
        json.object(key) { json in
            json.id("id", id)
            if author != .unknown {
                json.string("author", author.description)
                json.number("time", time)
            }
            if isDamaged { json.boolean("damaged", true) } else { json.string("text", text) }
        }
    }

    fileprivate init(_ fields: Fields) throws(WireError) {
        if try fields.optionalBoolean("damaged") ?? false {
            self.init(damaged: try fields.id("id"), sent: try fields.senderOfDamaged())
            return
        }
        self.init(
            id: try fields.id("id"), author: try fields.user("author", .known), time: try fields.milliseconds("time"),
            text: try fields.text("text"))
    }
}

extension Fields {
    fileprivate func lastMessage(_ key: String) throws(WireError) -> LastMessage? {
        try optional(key).map { value throws(WireError) in try LastMessage(Fields(value, path: name(key))) }
    }

    /// The name of a room that exists, which may be one that could not be made today.
    func knownRoom(_ key: String, _ value: JSONValue) throws(WireError) -> RoomName {
        guard let text = value.string else { throw mismatch(key, value, "a string") }
        guard let room = RoomName(known: text) else { throw misshapen(key, text, RoomName.shape) }
        return room
    }
}
