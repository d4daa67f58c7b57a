package import JSON

extension Message: WireRow {
    package static let rowWithoutSection = Section.socket

    /// A message that is news came after each reader joined.
    package var sectionInNews: Section { .socket }

    package static func write(_ id: MessageID, as key: String?, to json: inout JSONWriter) {
        json.id(key, id)
    }

    /// The row by itself, as in a page.
    package var json: [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        return json.bytes
    }

    /// Reads a row by itself.
    package init(json: [UInt8], in section: Section) throws(WireError) {
        let envelope: Envelope
        do {
            envelope = try Envelope(json)
        } catch {
            throw WireError(.syntax, error.message)
        }
        try self.init(envelope.fields(), section: section)
    }

    package func writeContent(to json: inout JSONWriter) {
        if author != .unknown {
            json.string("author", author.description)
            json.number("time", time)
        }
        guard !isDamaged else { return json.boolean("damaged", true) }
        content.write(to: &json)
        if let edited { json.number("edited", edited) }
        if !reactions.isEmpty { json.reactions("reactions", reactions) }
        json.thread(thread)
    }

    package static func write(_ light: Light, to json: inout JSONWriter) {
        json.reactions("reactions", light.reactions)
        json.thread(light.thread)
    }

    package static func light(_ fields: Fields) throws(WireError) -> Light {
        Light(reactions: try fields.reactions("reactions"), thread: try fields.thread())
    }

    package static let patches = ["app", "rea"]

    package static func name(_ patch: MessagePatch) -> String { patch.growth == nil ? "rea" : "app" }

    package static func write(_ patch: MessagePatch, to json: inout JSONWriter) {
        if let growth = patch.growth {
            json.number("at", UInt64(growth.start))
            json.string("text", growth.added)
            json.growth(growth.growth)
        }
        let reactions = patch.reactions
        if !reactions.removed.isEmpty { json.reactions("del", reactions.removed) }
        if !reactions.added.isEmpty { json.reactions("add", reactions.added) }
        if let emojis = reactions.emojis { json.array("emojis", emojis) { $0.string(nil, $1) } }
    }

    package static func patch(_ name: String, _ fields: Fields) throws(WireError) -> MessagePatch {
        let growth =
            name == "app"
            ? TextGrowth(from: try fields.count("at"), try fields.text("text"), try fields.growth()) : nil
        let reactions = ReactionPatch(
            removed: try fields.reactions("del"), added: try fields.reactions("add"), emojis: try fields.emojis())
        return MessagePatch(growth: growth, reactions: reactions)
    }

    package init(_ fields: Fields, section: Section) throws(WireError) {
        if try fields.optionalBoolean("damaged") ?? false {
            self.init(
                damaged: try fields.id("id"), section: section, sort: try fields.natural("sort"),
                rev: try fields.natural("rev"), sent: try fields.senderOfDamaged())
            return
        }
        self.init(
            id: try fields.id("id"), section: section, sort: try fields.natural("sort"),
            rev: try fields.natural("rev"), author: try fields.user("author", .known),
            time: try fields.milliseconds("time"), content: try MessageContent(known: fields),
            edited: try fields.optionalMilliseconds("edited"), reactions: try fields.reactions("reactions"),
            thread: try fields.thread())
    }
}

extension JSONWriter {
    fileprivate mutating func reactions(_ key: String, _ reactions: [Reaction]) {
        array(key, reactions) { json, reaction in
            json.object { json in
                json.string("emoji", reaction.emoji)
                json.array("users", reaction.users) { $0.string(nil, $1.description) }
            }
        }
    }
}

extension Fields {
    fileprivate func reactions(_ key: String) throws(WireError) -> [Reaction] {
        guard optional(key) != nil else { return [] }
        var reactions: [Reaction] = []
        for (index, value) in try elements(key).enumerated() {
            let fields = try Fields(value, path: name(key), index: index)
            reactions.append(Reaction(emoji: try fields.text("emoji"), users: try fields.knownUsers("users")))
        }
        return reactions
    }

    fileprivate func emojis() throws(WireError) -> [String]? {
        guard optional("emojis") != nil else { return nil }
        var emojis: [String] = []
        for value in try elements("emojis") {
            guard let emoji = value.string else { throw mismatch("emojis", value, "texts") }
            emojis.append(emoji)
        }
        return emojis
    }

    /// Reads the author and the time of a damaged message; `nil` if the server does not know them.
    func senderOfDamaged() throws(WireError) -> (by: UserName, at: Milliseconds)? {
        guard optional("author") != nil else { return nil }
        return (try user("author", .known), try milliseconds("time"))
    }

    /// Reads the names of people that a server sent; none if the field is missing.
    func knownUsers(_ key: String) throws(WireError) -> [UserName] {
        var users: [UserName] = []
        for value in try elements(key) {
            users.append(try user(key, value, .known))
        }
        return users
    }
}
