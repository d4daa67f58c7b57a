import JSON

extension ClientFrame {
    /// The bytes of the frame: a JSON object in UTF-8, without white space.
    ///
    /// - Complexity: O(bytes).
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { json in
            request.write(to: &json)
            json.number("ref", ref)
        }
        return writer.bytes
    }
}

extension ClientFrame.Request {
    fileprivate func write(to json: inout JSONWriter) {
        json.string("type", kind.rawValue)
        switch self {
        case .hello(.user(let user)): json.string("user", user.description)
        case .hello(.token(let token)), .token(let token): json.string("token", token)
        case .subscribe(let list, let limit, let resume):
            json.string("list", list.description)
            json.number("limit", limit)
            if let resume { resume.write(to: &json) }
        case .unsubscribe(let list): json.string("list", list.description)
        case .page(let list, let place, let limit): json.page(of: list, limit: limit) { place.write(to: &$0) }
        case .mentionsPage(let before, let limit):
            json.page(of: .myMentions, limit: limit) { before.write("before", to: &$0) }
        case .membersPage(let room, let search):
            json.page(of: .members(room), limit: search.limit) { search.write(to: &$0) }
        case .typing(let room, let direction):
            json.string("room", room.description)
            json.boolean("on", direction == .on)
        case .read(let room, let revision):
            json.string("room", room.description)
            if let revision { json.number("revision", revision) }
        case .readRooms(let rooms): json.array("rooms", rooms) { $0.string(nil, $1.description) }
        case .audit(let room, let before, let limit):
            json.string("room", room.description)
            json.number("before", before)
            json.number("limit", limit)
        case .search(let search): search.write(to: &json)
        case .upload(let upload): upload.write(to: &json)
        case .links(let links): links.write(to: &json)
        case .people, .draft, .later, .block: writeKept(to: &json)
        case .hello(.handshake), .ping: break
        case .send, .edit, .grow, .delete, .react, .join, .leave, .settings, .moderate, .create: writeCommand(to: &json)
        }
    }

    /// Writes a request about what is kept of people.
    private func writeKept(to json: inout JSONWriter) {
        switch self {
        case .people(let names): json.array("names", names) { $0.string(nil, $1.description) }
        case .draft(let room, let content):
            json.string("room", room.description)
            content?.write(to: &json)
        case .later(let id, let plan):
            json.id("id", id)
            plan?.write(to: &json)
        case .block(let user, let direction):
            json.string("user", user.description)
            json.boolean("on", direction == .on)
        default: preconditionFailure("\(kind) is about no people")
        }
    }

    private func writeCommand(to json: inout JSONWriter) {
        switch self {
        case .send(let room, let id, let content):
            json.string("room", room.description)
            json.id("id", id)
            content.write(to: &json)
        case .edit(let room, let command, let id, let edit):
            json.target(room, command, id)
            edit.write(to: &json)
        case .grow(let room, let command, let id, let step):
            json.target(room, command, id)
            step.write(to: &json)
        case .delete(let room, let command, let id): json.target(room, command, id)
        case .react(let room, let command, let id, let emoji, let direction):
            json.target(room, command, id)
            json.string("emoji", emoji)
            json.boolean("on", direction == .on)
        case .moderate(let room, let command, let moderation):
            json.string("room", room.description)
            json.id("command", command)
            moderation.write(to: &json)
        case .create(let command, let new):
            if case .open(let room, _) = new { json.string("room", room.description) }
            json.id("command", command)
            new.write(to: &json)
        case .join(let room, let command), .leave(let room, let command):
            json.string("room", room.description)
            if let command { json.id("command", command) }
        case .settings(let room, let change, let command):
            json.string("room", room.description)
            if let command { json.id("command", command) }
            change.write(to: &json)
        case .hello, .subscribe, .unsubscribe, .page, .mentionsPage, .membersPage, .typing, .read, .readRooms, .audit,
            .search,
            .upload, .links, .people, .draft, .later, .block, .token, .ping:
            break
        }
    }

    /// The frame's type.
    package var name: String { kind.rawValue }
    /// The types of all frames.
    package static let names = Kind.allCases.map(\.rawValue)

    private var kind: Kind {
        switch self {
        case .hello: .hello
        case .subscribe: .subscribe
        case .unsubscribe: .unsubscribe
        case .send: .send
        case .edit: .edit
        case .grow(_, _, _, .append): .append
        case .grow(_, _, _, .close): .close
        case .delete: .delete
        case .react: .react
        case .page, .mentionsPage, .membersPage: .page
        case .typing: .typing
        case .read, .readRooms: .read
        case .join: .join
        case .leave: .leave
        case .settings: .settings
        case .create: .create
        case .moderate: .moderate
        case .audit: .audit
        case .search: .search
        case .upload: .upload
        case .links: .links
        case .people: .people
        case .draft: .draft
        case .later: .later
        case .block: .block
        case .token: .token
        case .ping: .ping
        }
    }
}

extension JSONWriter {
    fileprivate mutating func target(_ room: RoomName, _ command: CommandID, _ id: MessageID) {
        string("room", room.description)
        self.id("command", command)
        self.id("id", id)
    }
}

extension Resume {
    fileprivate func write(to json: inout JSONWriter) {
        json.object("resume") { json in
            json.string("epoch", epoch.description)
            json.number("revision", revision)
            json.number("joined", joined)
            if let ranges {
                json.array("ranges", ranges) { json, keys in
                    json.array(nil, [keys.lowerBound, keys.upperBound]) { $0.number(nil, $1) }
                }
            }
            if let at { json.number("at", at) }
            if let rows {
                json.array("rows", rows) { json, row in
                    json.array(nil, [row.id, row.tag.description]) { $0.string(nil, $1) }
                }
            }
            if let sums { json.string("sums", String(decoding: sums.text, as: UTF8.self)) }
        }
    }
}

extension PagePlace {
    fileprivate func write(to json: inout JSONWriter) {
        switch self {
        case .before(let before): json.number("before", before)
        case .after(let after): json.number("after", after)
        case .between(let after, let before):
            json.number("after", after)
            json.number("before", before)
        case .around(let anchor):
            json.object("around") { json in
                switch anchor {
                case .id(let id): json.id("id", id)
                case .revision(let revision): json.number("revision", revision)
                case .time(let time): json.number("time", time)
                }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func page(of list: ListName, limit: Int, _ writePlace: (inout JSONWriter) -> Void) {
        string("list", list.description)
        writePlace(&self)
        number("limit", limit)
    }
}
