package import JSON

extension Moderation {
    /// The values of `action`.
    enum Kind: String, CaseIterable {
        case mute, unmute, kick, ban, unban, slow, readOnly, appoint, invite, title, topic, picture, pin, unpin
    }

    /// - Parameter origin: the origin of the name of the affected user, and of a title or topic.
    init(_ fields: Fields, _ origin: NameOrigin) throws(WireError) {
        let name = try fields.text("action")
        guard let kind = Kind(rawValue: name) else {
            let known = Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw fields.misshapen("action", name, "one of \(known)")
        }
        switch kind {
        case .mute: self = .mute(try fields.user("user", origin), for: try fields.span("for", 1...Self.longestMute))
        case .unmute: self = .unmute(try fields.user("user", origin))
        case .kick: self = .kick(try fields.user("user", origin))
        case .ban: self = .ban(try fields.user("user", origin))
        case .unban: self = .unban(try fields.user("user", origin))
        case .slow: self = .slowMode(try fields.span("for", 0...Self.slowestMode))
        case .readOnly: self = .readOnly(try fields.boolean("on") ? .on : .off)
        case .appoint: self = .appoint(try fields.user("user", origin), try fields.name("role"))
        case .invite: self = .invite(try fields.user("user", origin))
        case .title: self = .title(try fields.title("text", origin))
        case .topic: self = .topic(try fields.topic("text", origin))
        case .picture: self = .picture(try fields.picture("url"))
        case .pin: self = .pin(try fields.id("message"), try fields.pinPlace())
        case .unpin: self = .unpin(try fields.id("message"))
        }
    }

    package func write(to json: inout JSONWriter) {
        json.string("action", kind.rawValue)
        if let user { json.string("user", user.description) }
        switch self {
        case .mute(_, let span), .slowMode(let span): json.number("for", span)
        case .readOnly(let direction): json.boolean("on", direction == .on)
        case .appoint(_, let role): json.string("role", role.description)
        case .title(let title): json.string("text", title?.description ?? "")
        case .topic(let topic): json.string("text", topic?.description ?? "")
        case .picture(let picture): json.string("url", picture?.description ?? "")
        case .pin(let id, let place):
            json.id("message", id)
            place.write(to: &json)
        case .unpin(let id): json.id("message", id)
        case .unmute, .kick, .ban, .unban, .invite: break
        }
    }

    var kind: Kind {
        switch self {
        case .mute: .mute
        case .unmute: .unmute
        case .kick: .kick
        case .ban: .ban
        case .unban: .unban
        case .slowMode: .slow
        case .readOnly: .readOnly
        case .appoint: .appoint
        case .invite: .invite
        case .title: .title
        case .topic: .topic
        case .picture: .picture
        case .pin: .pin
        case .unpin: .unpin
        }
    }
}

extension PinPlace {
    fileprivate func write(to json: inout JSONWriter) {
        switch self {
        case .last: break
        case .before(let id): json.id("before", id)
        case .after(let id): json.id("after", id)
        }
    }
}

extension Fields {
    /// The place to which a message is pinned. It is not beside the message itself.
    fileprivate func pinPlace() throws(WireError) -> PinPlace {
        let message = try id("message")
        let (before, after) = (try optionalID("before"), try optionalID("after"))
        for (key, id) in [("before", before), ("after", after)] where id == message {
            throw error(key, "is the message itself, must be another one")
        }
        switch (before, after) {
        case (nil, nil): return .last
        case (let id?, nil): return .before(id)
        case (nil, let id?): return .after(id)
        case (_?, _?): throw error("after", "there is `before` too, must be only one of them")
        }
    }
}

extension Role: WireName {
    static var shape: String { allCases.map(\.description).joined(separator: ", ") }
}

extension Fields {
    fileprivate func span(_ key: String, _ range: ClosedRange<Milliseconds>) throws(WireError) -> Milliseconds {
        let span = try milliseconds(key)
        guard range.contains(span) else {
            throw error(key, "\(span) is not between \(range.lowerBound) and \(range.upperBound) milliseconds")
        }
        return span
    }
}

// MARK: - Audit

extension AuditPage {
    init(_ fields: Fields, of room: RoomName) throws(WireError) {
        var entries: [AuditEntry] = []
        for (index, value) in try fields.elements("entries").enumerated() {
            entries.append(try AuditEntry(Fields(value, path: "entries", index: index), in: room))
        }
        self.init(entries: entries, more: try fields.boolean("more"))
    }

    func write(to json: inout JSONWriter, of room: RoomName) {
        json.string("type", ServerFrame.Kind.audit.rawValue)
        json.string("room", room.description)
        write(to: &json)
    }

    /// Writes the members of a JSON object, without the name of the room.
    package func write(to json: inout JSONWriter) {
        json.array("entries", entries) { json, entry in json.object { entry.write(to: &$0) } }
        json.boolean("more", more)
    }
}

extension AuditEntry {
    /// The value of `action` for a message that was deleted.
    private static let deletion = "delete"
    /// The value of `action` for the creation of a room.
    private static let creation = "create"

    fileprivate init(_ fields: Fields, in room: RoomName) throws(WireError) {
        let deed: Deed =
            switch try fields.text("action") {
            case Self.deletion: .deleted(try fields.id("id"), of: try fields.user("user", .known))
            case Self.creation: .created(try NewRoom(fields, .known, named: room))
            default: .moderated(try Moderation(fields, .known))
            }
        self.init(
            revision: try fields.natural("revision"), time: try fields.milliseconds("time"),
            author: try fields.user("author", .known), deed: deed)
    }

    fileprivate func write(to json: inout JSONWriter) {
        json.number("revision", revision)
        json.number("time", time)
        json.string("author", author.description)
        switch deed {
        case .moderated(let moderation): moderation.write(to: &json)
        case .deleted(let id, let user):
            json.string("action", Self.deletion)
            json.id("id", id)
            json.string("user", user.description)
        case .created(let new):
            json.string("action", Self.creation)
            new.write(to: &json)
        }
    }
}

// MARK: - Standing

extension ServerFrame.Ending {
    /// Reads an ending. An unknown reason belongs to a later version and counts as `forbidden`.
    init(_ fields: Fields) throws(WireError) {
        self.init(why: Why(rawValue: try fields.text("why")) ?? .forbidden, message: try fields.text("message"))
    }

    func write(to json: inout JSONWriter, of list: ListName) {
        json.string("type", ServerFrame.Kind.ended.rawValue)
        json.string("list", list.description)
        json.string("why", why.rawValue)
        json.string("message", message)
    }
}

extension RoomStanding {
    init(_ fields: Fields) throws(WireError) {
        self.init(
            role: try fields.name("role"), mutedFor: try fields.optionalMilliseconds("mutedFor") ?? 0,
            slowMode: try fields.optionalMilliseconds("slow") ?? 0,
            isReadOnly: try fields.optionalBoolean("readOnly") ?? false,
            title: try fields.optionalTitle(.known),
            topic: try fields.optional("topic") == nil ? nil : fields.topic("topic", .known),
            picture: try fields.optional("picture") == nil ? nil : fields.picture("picture"))
    }

    func write(to json: inout JSONWriter, in room: RoomName) {
        json.string("type", ServerFrame.Kind.standing.rawValue)
        json.string("room", room.description)
        json.string("role", role.description)
        if mutedFor > 0 { json.number("mutedFor", mutedFor) }
        if slowMode > 0 { json.number("slow", slowMode) }
        if isReadOnly { json.boolean("readOnly", true) }
        if let title { json.string("title", title.description) }
        if let topic { json.string("topic", topic.description) }
        if let picture { json.string("picture", picture.description) }
    }
}
