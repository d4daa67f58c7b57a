import JSON

extension ServerFrame {
    /// The bytes of the frame: a JSON object in UTF-8, without white space, `ref` last.
    ///
    /// - Complexity: O(bytes).
    public var json: [UInt8] {
        let frame = encoded
        return ref.map(frame.answering) ?? frame.bytes
    }

    /// The request that the frame answers; `nil` for news.
    public var ref: UInt64? {
        switch self {
        case .welcome(let ref, _), .ok(let ref, _), .pong(let ref), .page(let ref, _, _, _), .audit(let ref, _, _): ref
        case .error(let ref, _), .snapshot(let ref, _, _), .diff(let ref, _, _, _): ref
        case .roomsRead(let ref, _), .found(let ref, _), .uploading(let ref, _), .links(let ref, _): ref
        case .ended, .standing, .expiring, .bye: nil
        }
    }

    /// The frame without its `ref`.
    package var encoded: EncodedFrame {
        switch self {
        case .welcome(_, let welcome): EncodedFrame { welcome.write(to: &$0) }
        case .ok(_, let effect): EncodedFrame { $0.ok(effect) }
        case .roomsRead(_, let rooms): EncodedFrame { $0.ok(rooms) }
        case .error(_, let error): EncodedFrame { error.write(to: &$0) }
        case .pong: EncodedFrame { $0.string("type", Kind.pong.rawValue) }
        case .snapshot(_, let list, let snapshot): snapshot.frame(list, snapshot.epoch)
        case .diff(_, let list, let epoch, let diff): diff.frame(list, epoch)
        case .page(_, let list, let epoch, let page): page.frame(list, epoch)
        case .audit(_, let room, let page): EncodedFrame { page.write(to: &$0, of: room) }
        case .found(_, let page): EncodedFrame { page.write(to: &$0) }
        case .uploading(_, let permit): EncodedFrame { permit.write(to: &$0) }
        case .links(_, let links): EncodedFrame { links.write(to: &$0) }
        case .ended(let list, let ending): EncodedFrame { ending.write(to: &$0, of: list) }
        case .standing(let room, let standing): EncodedFrame { standing.write(to: &$0, in: room) }
        case .expiring(let time): EncodedFrame { $0.expiring(time) }
        case .bye(let code, let reason, let retryAfter): EncodedFrame { $0.bye(code, reason, retryAfter) }
        }
    }

    /// The types of frame that a server sends.
    enum Kind: String, CaseIterable {
        case welcome, ok, error, pong, snapshot, diff, page, audit, found, uploading, links, ended, standing, expiring,
            bye
    }
}

extension JSONWriter {
    fileprivate mutating func begin(_ kind: ServerFrame.Kind, _ list: ListName, _ epoch: Epoch) {
        string("type", kind.rawValue)
        string("list", list.description)
        string("epoch", epoch.description)
    }

    mutating func proof(_ proof: ListProof) {
        number("count", proof.count)
        number("digest", UInt64(proof.digest))
    }

    fileprivate mutating func counts<Section: ListSection>(_ counts: [Section: Int]?) {
        guard let counts else { return }
        object("counts") { json in
            for section in Section.allCases { json.number(section.rawValue, counts[section] ?? 0) }
        }
    }

    /// An object, because readers take an unknown array for an operation of a later version.
    fileprivate mutating func missing(_ databases: [Int]) {
        guard !databases.isEmpty else { return }
        object("missing") { $0.array("databases", databases) { $0.number(nil, $1) } }
    }

    fileprivate mutating func ok(_ effect: ServerFrame.Effect?) {
        string("type", ServerFrame.Kind.ok.rawValue)
        guard let effect else { return }
        string("list", effect.list.description)
        number("revision", effect.revision)
    }

    fileprivate mutating func ok(_ rooms: [ServerFrame.RoomRead]) {
        string("type", ServerFrame.Kind.ok.rawValue)
        array("rooms", rooms) { json, read in
            json.object { json in
                json.string("room", read.room.description)
                switch read.result {
                case .success(let revision): json.number("revision", revision)
                case .failure(let error): error.writeFields(to: &json)
                }
            }
        }
    }

    fileprivate mutating func expiring(_ time: Milliseconds) {
        string("type", ServerFrame.Kind.expiring.rawValue)
        number("in", time)
    }

    fileprivate mutating func bye(_ code: UInt16, _ reason: String, _ retryAfter: Milliseconds?) {
        string("type", ServerFrame.Kind.bye.rawValue)
        number("code", UInt64(code))
        string("reason", reason)
        if let retryAfter { number("retryAfter", retryAfter) }
    }
}

extension Welcome {
    fileprivate func write(to json: inout JSONWriter) {
        json.string("type", ServerFrame.Kind.welcome.rawValue)
        json.string("user", user.description)
        json.string("server", server)
        json.number("heartbeat", heartbeat)
        json.object("limits") { json in
            for (name, field) in WireLimits.fields { json.number(name, limits[keyPath: field]) }
        }
        json.object("rates") { json in
            for (name, field) in WireRates.fields {
                if let rate = rates[keyPath: field] { json.number(name, rate) }
            }
        }
        if let route { json.string("route", route) }
        if let time { json.number("time", time) }
        if !limits.shortNames.isEmpty {
            json.array("emojis", limits.shortNames) { $0.string(nil, $1.description) }
        }
    }
}

extension WireError {
    fileprivate func write(to json: inout JSONWriter) {
        json.string("type", ServerFrame.Kind.error.rawValue)
        writeFields(to: &json)
    }

    func writeFields(to json: inout JSONWriter) {
        json.string("error", code.rawValue)
        if let reason { json.string("reason", reason.rawValue) }
        if let field { json.string("field", field) }
        json.string("message", message)
        if let retryAfter { json.number("retryAfter", retryAfter) }
    }
}

extension ServerFrame.Snapshot: WireContent where Row: WireRow {
    /// Encodes a snapshot for all who ask for it at this revision with the same window and the same `joined`.
    @specialized(where Row == Message)
    @specialized(where Row == MyRoom)
    package func encoded(_ list: ListName, _ epoch: Epoch) -> EncodedFrame {
        EncodedFrame { json in
            json.begin(.snapshot, list, epoch)
            json.number("revision", snapshot.revision)
            json.number("joined", joined)
            json.string("why", why.rawValue)
            json.array("sections", Row.Section.allCases) { json, section in
                json.object { json in
                    json.string("id", section.rawValue)
                    json.array("rows", snapshot.rows.lazy.filter { $0.section == section }) { $1.write(to: &$0) }
                }
            }
            json.boolean("more", snapshot.more)
            json.proof(snapshot.proof)
            json.counts(snapshot.counts)
            json.missing(snapshot.missing)
        }
    }
}

extension ListDiff: WireContent where Row: WireRow {
    @specialized(where Row == Message)
    @specialized(where Row == MyRoom)
    package func encoded(_ list: ListName, _ epoch: Epoch) -> EncodedFrame {
        EncodedFrame { json in
            json.begin(.diff, list, epoch)
            json.number("from", from)
            json.number("to", to)
            if let kept { json.number("kept", kept) }
            if let groups { json.array("groups", groups) { $0.number(nil, $1) } }
            if !deletions.isEmpty { json.array("del", deletions) { Row.write($1, as: nil, to: &$0) } }
            if !moves.isEmpty { json.array("mov", moves) { $1.write(to: &$0) } }
            if !insertions.isEmpty { json.array("ins", insertions) { $1.write(to: &$0, in: $1.sectionInNews) } }
            if !reloads.isEmpty { json.array("rel", reloads) { $1.write(to: &$0) } }
            if !reconfigurations.isEmpty { json.array("cfg", reconfigurations) { $1.write(to: &$0) } }
            for name in patches.isEmpty ? [] : Row.patches {
                let named = patches.filter { Row.name($0.patch) == name }
                if !named.isEmpty { json.array(name, named) { $1.write(to: &$0) } }
            }
            if start > 0 { json.number("start", start) }
            if let ranges { json.array("ranges", ranges) { $1.write(to: &$0) } }
            json.proof(proof)
            json.counts(counts)
            json.missing(missing)
        }
    }
}

extension ListPage: WireContent where Row: WireRow {
    @specialized(where Row == Message)
    package func encoded(_ list: ListName, _ epoch: Epoch) -> EncodedFrame {
        EncodedFrame { json in
            json.begin(.page, list, epoch)
            json.number("revision", revision)
            json.number("from", from)
            json.number("to", to)
            json.array("rows", rows) { $1.write(to: &$0) }
            json.boolean("more", more)
            json.boolean("newer", newer)
        }
    }
}

extension MentionsPage: WireContent {
    package func encoded(_ list: ListName, _ epoch: Epoch) -> EncodedFrame {
        EncodedFrame { json in
            json.begin(.page, list, epoch)
            json.array("rows", rows) { $1.write(to: &$0) }
            json.boolean("more", more)
        }
    }
}

extension MembersPage: WireContent {
    package func encoded(_ list: ListName, _ epoch: Epoch) -> EncodedFrame {
        EncodedFrame { json in
            json.begin(.page, list, epoch)
            json.array("rows", rows) { $1.write(to: &$0, in: $1.section) }
            json.boolean("more", after != nil)
            if let after { json.string("after", after.description) }
        }
    }
}
