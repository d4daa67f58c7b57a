extension Message {
    /// Writes the row.
    ///
    /// - Parameter named: the section to name in it; `nil` where the frame's layout says the section.
    package func write(to json: inout JSONWriter, in named: Section? = nil) {
        json.object { json in
            json.id("id", id)
            if let named { json.string("section", named.rawValue) }
            json.number("sort", sort)
            json.number("rev", rev)
            json.string("author", author.description)
            json.number("time", time)
            json.string("text", text)
            if let edited { json.number("edited", edited) }
            if let replyTo { json.id("replyTo", replyTo) }
            if !reactions.isEmpty { json.reactions(reactions) }
        }
    }

    /// The row by itself, as a page has it.
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
            throw WireError(.badRequest, error.message)
        }
        try self.init(envelope.fields(), section: section)
    }

    /// - Parameter section: the row's section, or `nil` if the row says it.
    init(_ fields: Fields, section: Section?) throws(WireError) {
        self.init(
            id: try fields.id("id"), section: try fields.section(section), sort: try fields.natural("sort"),
            rev: try fields.natural("rev"), author: try fields.name("author"),
            time: try fields.milliseconds("time"), text: try fields.text("text"),
            edited: try fields.optionalMilliseconds("edited"), replyTo: try fields.optionalID("replyTo"),
            reactions: try fields.reactions())
    }
}

extension ListMove<Message> {
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.id("id", id)
            json.string("section", section.rawValue)
            json.number("sort", sort)
            json.number("rev", rev)
        }
    }

    init(_ fields: Fields) throws(WireError) {
        self.init(
            id: try fields.id("id"), section: try fields.section(), sort: try fields.natural("sort"),
            rev: try fields.natural("rev"))
    }
}

extension ListReconfiguration<Message> {
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.id("id", id)
            json.number("rev", rev)
            json.reactions(light.reactions)
        }
    }

    init(_ fields: Fields) throws(WireError) {
        self.init(
            id: try fields.id("id"), rev: try fields.natural("rev"),
            light: Message.Light(reactions: try fields.reactions()))
    }
}

extension JSONWriter {
    fileprivate mutating func reactions(_ reactions: [Reaction]) {
        array("reactions", reactions) { json, reaction in
            json.object { json in
                json.string("emoji", reaction.emoji)
                json.array("users", reaction.users) { $0.string(nil, $1.description) }
            }
        }
    }
}

extension Fields {
    fileprivate func section(_ known: Message.Section? = nil) throws(WireError) -> Message.Section {
        if let known { return known }
        let text = try text("section")
        guard let section = Message.Section(rawValue: text) else {
            throw misshapen("section", text, "history or socket")
        }
        return section
    }

    fileprivate func reactions() throws(WireError) -> [Reaction] {
        guard optional("reactions") != nil else { return [] }
        var reactions: [Reaction] = []
        for (index, value) in try elements("reactions").enumerated() {
            let fields = try Fields(value, path: name("reactions"), index: index)
            reactions.append(Reaction(emoji: try fields.text("emoji"), users: try fields.users()))
        }
        return reactions
    }

    private func users() throws(WireError) -> [UserName] {
        var users: [UserName] = []
        for value in try elements("users") {
            guard let text = value.string else { throw mismatch("users", value, "strings") }
            guard let user = UserName(text) else { throw misshapen("users", text, UserName.shape) }
            users.append(user)
        }
        return users
    }
}
