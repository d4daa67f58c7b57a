extension ServerFrame {
    /// Reads what a server sent.
    ///
    /// - Throws: ``FrameError``. A `type` that is not known is ``FrameError/bad(ref:_:)`` and may be passed over.
    /// - Complexity: O(bytes).
    public init(json: [UInt8]) throws(FrameError) {
        let envelope = try Envelope(json)
        do {
            self = try ServerFrame(envelope.fields())
        } catch {
            throw .bad(ref: envelope.ref, error)
        }
    }

    private init(_ fields: Fields) throws(WireError) {
        switch try fields.kind(Kind.self) {
        case .welcome: self = .welcome(ref: try fields.natural("ref"), try Welcome(fields))
        case .ok: self = .ok(ref: try fields.natural("ref"), try Effect(fields))
        case .error: self = .error(ref: try fields.optionalNatural("ref"), try WireError(fields))
        case .pong: self = .pong(ref: try fields.natural("ref"))
        case .snapshot:
            self = .snapshot(
                ref: try fields.optionalNatural("ref"), try fields.name("list"), try MessageSnapshot(fields))
        case .diff:
            self = .diff(
                ref: try fields.optionalNatural("ref"), try fields.name("list"), try fields.name("epoch"),
                try ListDiff(fields))
        case .page:
            self = .page(
                ref: try fields.natural("ref"), try fields.name("list"), try fields.name("epoch"),
                try ListPage(fields))
        case .bye: try self.init(bye: fields)
        }
    }

    private init(bye fields: Fields) throws(WireError) {
        let code = try fields.natural("code")
        guard let code = UInt16(exactly: code) else { throw fields.error("code", "\(code) is not below 65536") }
        self = .bye(
            code: code, reason: try fields.text("reason"), retryAfter: try fields.optionalMilliseconds("retryAfter"))
    }
}

extension WireLimits {
    /// The names of the limits on the wire.
    static var fields: [(String, WritableKeyPath<WireLimits, Int>)] {
        [
            ("frame", \.frame), ("text", \.text), ("rows", \.rows), ("subscriptions", \.subscriptions),
            ("emoji", \.emoji), ("reactions", \.reactions), ("reactors", \.reactors), ("pending", \.pending),
        ]
    }
}

extension Welcome {
    fileprivate init(_ fields: Fields) throws(WireError) {
        let named = try Fields(fields.required("limits", "an object"), path: "limits")
        var limits = WireLimits()  // a limit that the server does not name is one that this version added
        for (name, field) in WireLimits.fields {
            if let limit = try named.optionalNatural(name) { limits[keyPath: field] = Int(limit) }
        }
        self.init(
            user: try fields.name("user"), server: try fields.text("server"),
            heartbeat: try fields.milliseconds("heartbeat"), limits: limits)
    }
}

extension ServerFrame.Effect {
    /// `nil` if there was nothing to be seen in a list.
    fileprivate init?(_ fields: Fields) throws(WireError) {
        guard fields.optional("list") != nil else { return nil }
        self.init(list: try fields.name("list"), revision: try fields.natural("revision"))
    }
}

extension WireError {
    /// A code that is not known is one of a later version: all that can be done about it is to report it.
    fileprivate init(_ fields: Fields) throws(WireError) {
        let code = Code(rawValue: try fields.text("error")) ?? .internal
        self.init(code, try fields.text("message"), retryAfter: try fields.optionalMilliseconds("retryAfter"))
    }
}

extension ServerFrame.MessageSnapshot {
    /// A reason that is not known is one of a later version: it changes nothing.
    fileprivate init(_ fields: Fields) throws(WireError) {
        let joined = try fields.natural("joined")
        self.init(
            epoch: try fields.name("epoch"), joined: joined,
            why: ServerFrame.SnapshotReason(rawValue: try fields.text("why")) ?? .fresh,
            snapshot: ListSnapshot(
                revision: try fields.natural("revision"), rows: try fields.sections(at: joined),
                more: try fields.boolean("more"), proof: try fields.proof()))
    }
}

extension ListDiff<Message> {
    fileprivate init(_ fields: Fields) throws(WireError) {
        self.init(
            from: try fields.natural("from"), to: try fields.natural("to"), deletions: try fields.ids("del"),
            moves: try fields.objects("mov") { fields throws(WireError) in try ListMove(fields) },
            insertions: try fields.rows("ins", section: nil),
            reloads: try fields.rows("rel", section: .socket),
            reconfigurations: try fields.objects("cfg") { fields throws(WireError) in
                try ListReconfiguration(fields)
            },
            proof: try fields.proof())
        unknownOperation = fields.unknownArray(besides: ["del", "mov", "ins", "rel", "cfg"])
    }
}

extension ListPage<Message> {
    fileprivate init(_ fields: Fields) throws(WireError) {
        self.init(
            revision: try fields.natural("revision"), rows: try fields.rows("rows", section: .history),
            more: try fields.boolean("more"))
    }
}

extension Fields {
    fileprivate func proof() throws(WireError) -> ListProof {
        let digest = try natural("digest")
        guard let digest = UInt32(exactly: digest) else { throw error("digest", "\(digest) is not below 4294967296") }
        return ListProof(count: try count("count"), digest: digest)
    }

    fileprivate func sections(at joined: Revision) throws(WireError) -> [Message] {
        var rows: [Message.Section: [Message]] = [:]
        for (index, value) in try elements("sections").enumerated() {
            let fields = try Fields(value, path: "sections", index: index)
            let name = try fields.text("id")
            guard let section = Message.Section(rawValue: name), rows[section] == nil else {
                throw fields.misshapen("id", name, "history or socket, each once")
            }
            let read = try fields.rows("rows", section: section)
            if let row = read.first(where: { ($0.sort > joined) != (section == .socket) }) {
                throw fields.error("rows", "sort \(row.sort) belongs to the other section, joined is \(joined)")
            }
            rows[section] = read
        }
        return Message.Section.allCases.flatMap { rows[$0] ?? [] }
    }

    fileprivate func rows(_ key: String, section: Message.Section?) throws(WireError) -> [Message] {
        try objects(key) { fields throws(WireError) in try Message(fields, section: section) }
    }

    fileprivate func ids(_ key: String) throws(WireError) -> [MessageID] {
        var ids: [MessageID] = []
        for value in try elements(key) { ids.append(try id(key, value)) }
        return ids
    }

    /// The objects of an array; none if it is missing.
    fileprivate func objects<Element>(
        _ key: String, _ read: (Fields) throws(WireError) -> Element
    ) throws(WireError) -> [Element] {
        let values = try elements(key)
        var objects: [Element] = []
        objects.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            objects.append(try read(Fields(value, path: name(key), index: index)))
        }
        return objects
    }

    /// The first field that is an array and not one of `known`.
    fileprivate func unknownArray(besides known: [String]) -> String? {
        object.arrayKeys.first { !known.contains($0) }
    }
}
