extension ClientFrame {
    /// Reads a frame that a client sent.
    ///
    /// - Parameter limits: this initialiser checks `text`, `rows` and `emoji`; the server checks the others.
    /// - Throws: ``FrameError``; a frame that can be answered is ``FrameError/bad(ref:_:)``.
    /// - Complexity: O(bytes).
    public init(json: [UInt8], limits: WireLimits = WireLimits()) throws(FrameError) {
        let envelope = try Envelope(json, limit: Envelope.mostAsked)
        do {
            let fields = try envelope.fields()
            let ref = try fields.natural("ref")
            self.init(ref: ref, request: try Request(fields, limits))
        } catch {
            throw .bad(ref: envelope.ref, error)
        }
    }
}

/// A message that is posted by plain HTTP.
///
/// It has the fields of `send` without the room, which the path names, and with the author's name where no token proves
/// it.
package struct Posting: Equatable, Sendable {
    package let user: UserName?
    package let id: MessageID
    package let content: MessageContent

    package init(json: [UInt8], limits: WireLimits) throws(WireError) {
        let fields = try Fields(body: json)
        user = fields.optional("user") == nil ? nil : try fields.user("user", .entered)
        id = try fields.id("id")
        content = try MessageContent(sent: fields, limits)
    }
}

extension ClientFrame.Request {
    /// The types of frame that a client sends.
    enum Kind: String, CaseIterable {
        case hello, subscribe, unsubscribe, send, edit, append, close, delete, react, page, typing, read, join, leave,
            settings
        case create, moderate
        case audit, search, upload, links, people, draft, later, block, token, ping
    }

    init(_ fields: Fields, _ limits: WireLimits) throws(WireError) {
        let kind = try fields.kind(Kind.self)
        switch kind {
        case .hello: self = .hello(try fields.credential())
        case .subscribe: self = try fields.subscription(limits)
        case .unsubscribe: self = .unsubscribe(try fields.name("list"))
        case .send:
            self = .send(
                room: try fields.name("room"), id: try fields.id("id"), try MessageContent(sent: fields, limits))
        case .edit, .append, .close, .delete, .react: self = try fields.change(kind, limits)
        case .page: self = try fields.page(limits)
        case .typing: self = .typing(try fields.name("room"), try fields.direction())
        case .read: self = try fields.read()
        case .join: self = .join(try fields.name("room"), command: try fields.optionalID("command"))
        case .leave: self = .leave(try fields.name("room"), command: try fields.optionalID("command"))
        case .settings: self = try fields.settings()
        case .create:
            self = .create(try fields.id("command"), try NewRoom(fields, .entered, named: try fields.name("room")))
        case .moderate:
            self = .moderate(
                room: try fields.name("room"), command: try fields.id("command"), try Moderation(fields, .entered))
        case .audit:
            self = .audit(
                try fields.name("room"), before: try fields.optionalNatural("before") ?? WireInteger.limit - 1,
                limit: try fields.rows(limits))
        case .search: self = .search(try SearchRequest(fields))
        case .upload: self = .upload(try UploadRequest(fields, limits))
        case .links: self = .links(try LinksRequest(fields))
        case .people: self = .people(try fields.people())
        case .draft: self = .draft(try fields.name("room"), try MessageContent(draft: fields, limits))
        case .later: self = .later(try fields.id("id"), try LaterItem.Plan(sent: fields, limits))
        case .block: self = .block(try fields.user("user", .known), try fields.direction())
        case .token: self = .token(try fields.token())
        case .ping: self = .ping
        }
    }
}

extension Fields {
    /// Reads a command about a message that is there.
    fileprivate func change(
        _ kind: ClientFrame.Request.Kind, _ limits: WireLimits
    ) throws(WireError) -> ClientFrame.Request {
        let room: RoomName = try name("room")
        let (command, id) = (try self.id("command"), try self.id("id"))
        switch kind {
        case .edit: return .edit(room: room, command: command, id: id, try ContentEdit(self, limits))
        case .append: return .grow(room: room, command: command, id: id, try GrowthStep(append: self, limits))
        case .close: return .grow(room: room, command: command, id: id, try GrowthStep(close: self))
        case .react:
            let direction = try direction()
            return .react(room: room, command: command, id: id, emoji: try emoji(limits, direction), direction)
        default: return .delete(room: room, command: command, id: id)
        }
    }

    fileprivate func settings() throws(WireError) -> ClientFrame.Request {
        .settings(try name("room"), try SettingsChange(self), command: try optionalID("command"))
    }

    fileprivate func read() throws(WireError) -> ClientFrame.Request {
        guard optional("rooms") != nil else { return .read(try name("room"), try optionalNatural("revision")) }
        guard optional("room") == nil, optional("revision") == nil else {
            throw error("rooms", "stands beside room or revision, must be there without them")
        }
        let names = try elements("rooms")
        guard (1...ClientFrame.mostRoomsRead).contains(names.count) else {
            throw error("rooms", "has \(names.count) rooms, must have 1 to \(ClientFrame.mostRoomsRead)")
        }
        var rooms: [RoomName] = []
        for (index, name) in names.enumerated() {
            rooms.append(try self.name("rooms[\(index)]", name))
        }
        guard Set(rooms).count == rooms.count else { throw error("rooms", "names a room twice") }
        return .readRooms(rooms)
    }

    fileprivate func subscription(_ limits: WireLimits) throws(WireError) -> ClientFrame.Request {
        let list: ListName = try name("list")
        return .subscribe(list, limit: try rows(of: list, limits), resume: try resume())
    }

    fileprivate func page(_ limits: WireLimits) throws(WireError) -> ClientFrame.Request {
        let list: ListName = try name("list")
        switch list {
        case .myMentions: return .mentionsPage(before: try mentionPlace(), limit: try pageRows(limits))
        case .members(let room): return .membersPage(room, try MembersSearch(self, limit: pageRows(limits)))
        case .messages, .pins, .myRooms, .myThreads, .myPeople, .myDrafts, .myLater, .myBlocked:
            return .page(list, try pagePlace(), limit: try pageRows(limits))
        }
    }

    fileprivate func credential() throws(WireError) -> ClientFrame.Credential {
        switch (optional("user"), optional("token")) {
        case (nil, nil): return .handshake
        case (.some, .some): throw error("user", "came together with `token`: send one of the two")
        case (.some, nil): return .user(try user("user", .entered))
        case (nil, .some):
            return .token(try token())
        }
    }

    /// Reads the names of people to ask for. They are known names: some were entered when other rules held.
    fileprivate func people() throws(WireError) -> [UserName] {
        let people = try users("names", .known, most: ClientFrame.mostPeople)
        guard !people.isEmpty else { throw error("names", "empty, must be 1 to \(ClientFrame.mostPeople) names") }
        return people
    }

    fileprivate func token() throws(WireError) -> String {
        let token = try text("token")
        guard !token.isEmpty else { throw error("token", "is empty, must be a token") }
        return token
    }

    fileprivate func direction() throws(WireError) -> ClientFrame.Switch {
        try boolean("on") ? .on : .off
    }

    fileprivate func rows(_ limits: WireLimits) throws(WireError) -> Int {
        try rows(most: limits.rows) ?? min(50, limits.rows)
    }

    /// Reads the rows of a page. It proves nothing, so that it may have one row.
    private func pageRows(_ limits: WireLimits) throws(WireError) -> Int {
        try rows(least: 1, most: limits.rows) ?? min(50, limits.rows)
    }

    /// Reads the rows that a reader of a list asks for.
    private func rows(of list: ListName, _ limits: WireLimits) throws(WireError) -> Int {
        guard list == .myRooms || list == .myThreads else { return try rows(limits) }
        let most = max(limits.memberships, ListDigest.window)
        return try rows(most: most) ?? min(WireLimits.firstRooms, most)
    }

    private func rows(least: Int = ListDigest.window, most: Int) throws(WireError) -> Int? {
        guard let rows = try optionalNatural("limit") else { return nil }
        guard rows >= UInt64(least), rows <= UInt64(most) else {
            throw error("limit", "\(rows) is not between \(least) and \(most)")
        }
        return Int(rows)
    }

    /// Reads a reaction's emoji. Taking a reaction back accepts any text, so that an old one can always be removed.
    fileprivate func emoji(
        _ limits: WireLimits, _ direction: ClientFrame.Switch
    ) throws(WireError) -> String {
        let emoji = try text("emoji")
        let size = emoji.utf8.count
        guard size > 0 else { throw error("emoji", "is empty, must be 1 to \(limits.emoji) bytes") }
        guard size <= limits.emoji else {
            throw error("emoji", "has \(size) bytes, must be 1 to \(limits.emoji)", .tooLong)
        }
        guard emoji.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw error("emoji", "has a control character, must have none")
        }
        guard direction == .off || limits.accepts(emoji: emoji) else {
            let known = limits.shortNames.map(\.description).joined(separator: " ")
            let names = known.isEmpty ? "" : ", or one of \(known)"
            throw misshapen("emoji", emoji, "an emoji as Unicode lists them, with its U+FE0F if it has one\(names)")
        }
        return emoji
    }
}
