import JSON

extension ServerFrame {
    /// Reads a frame that a server sent.
    ///
    /// - Throws: ``FrameError``. An unknown `type` is ``FrameError/bad(ref:_:)`` and may be ignored.
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
        let kind = try fields.kind(Kind.self)
        switch kind {
        case .welcome: self = .welcome(ref: try fields.natural("ref"), try Welcome(fields))
        case .ok: self = try .init(ok: fields)
        case .error: self = .error(ref: try fields.optionalNatural("ref"), try WireError(fields))
        case .pong: self = .pong(ref: try fields.natural("ref"))
        case .snapshot, .diff, .page:
            let list: ListName = try fields.name("list")
            self = try .about(list, of: list.row, kind, fields)
        case .audit:
            let room: RoomName = try fields.name("room")
            self = .audit(ref: try fields.natural("ref"), room, try AuditPage(fields, of: room))
        case .found: self = .found(ref: try fields.natural("ref"), try SearchPage(fields))
        case .uploading: self = .uploading(ref: try fields.natural("ref"), try UploadPermit(fields))
        case .links: self = .links(ref: try fields.natural("ref"), try FileLinks(fields))
        case .ended: self = .ended(try fields.name("list"), try Ending(fields))
        case .standing: self = .standing(try fields.name("room"), try RoomStanding(fields))
        case .expiring: self = .expiring(in: try fields.milliseconds("in"))
        case .bye: try self.init(bye: fields)
        }
    }

    private init(ok fields: Fields) throws(WireError) {
        let ref = try fields.natural("ref")
        guard fields.optional("rooms") != nil else {
            self = .ok(ref: ref, try Effect(fields))
            return
        }
        var rooms: [RoomRead] = []
        for (index, value) in try fields.elements("rooms").enumerated() {
            rooms.append(try RoomRead(Fields(value, path: "rooms", index: index)))
        }
        self = .roomsRead(ref: ref, rooms)
    }

    @specialized(where Row == Message)
    private static func about<Row: WireRow>(
        _ list: ListName, of _: Row.Type, _ kind: Kind, _ fields: Fields
    ) throws(WireError) -> ServerFrame {
        switch kind {
        case .snapshot: return .snapshot(ref: try fields.optionalNatural("ref"), list, try Snapshot<Row>(fields))
        case .page: return .page(ref: try fields.natural("ref"), list, try fields.name("epoch"), try Row.Page(fields))
        default:
            let ref = try fields.optionalNatural("ref")
            return .diff(ref: ref, list, try fields.name("epoch"), try ListDiff<Row>(fields))
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
            ("frame", \.frame), ("text", \.text), ("data", \.data), ("files", \.files),
            ("fileBytes", \.fileBytes), ("rows", \.rows),
            ("subscriptions", \.subscriptions),
            ("emoji", \.emoji), ("reactions", \.reactions), ("reactors", \.reactors),
            ("reactionBytes", \.reactionBytes), ("pending", \.pending), ("memberships", \.memberships),
            ("members", \.members), ("standings", \.standings), ("senders", \.senders),
            ("pins", \.pins),
            ("mentions", \.mentions), ("people", \.people), ("drafts", \.drafts),
            ("later", \.later), ("blocked", \.blocked),
        ]
    }
}

extension WireRates {
    /// The names of the rates on the wire.
    static var fields: [(String, WritableKeyPath<WireRates, Int?>)] {
        [("frames", \.frames), ("pages", \.pages), ("sends", \.sends), ("rooms", \.rooms)]
    }

    /// A rate that the server does not name has no limit.
    fileprivate init(_ value: JSONValue?) throws(WireError) {
        self.init()
        guard let value else { return }
        let named = try Fields(value, path: "rates")
        for (name, field) in Self.fields {
            self[keyPath: field] = try named.optionalNatural(name).map { Int($0) }
        }
    }
}

extension Welcome {
    fileprivate init(_ fields: Fields) throws(WireError) {
        let named = try Fields(fields.required("limits", "an object"), path: "limits")
        var limits = WireLimits()  // an older server does not name every limit: the default stands for one it lacks
        for (name, field) in WireLimits.fields {
            if let limit = try named.optionalNatural(name) { limits[keyPath: field] = Int(limit) }
        }
        limits.shortNames = try fields.elements("emojis").compactMap { $0.string.flatMap(ShortName.init) }
        self.init(
            user: try fields.user("user", .known), server: try fields.text("server"),
            heartbeat: try fields.milliseconds("heartbeat"), limits: limits,
            rates: try WireRates(fields.optional("rates")), route: try fields.optionalText("route"),
            time: try fields.optionalMilliseconds("time"))
    }
}

extension ServerFrame.Effect {
    /// `nil` if the command has no effect in a list.
    fileprivate init?(_ fields: Fields) throws(WireError) {
        guard fields.optional("list") != nil else { return nil }
        self.init(list: try fields.name("list"), revision: try fields.natural("revision"))
    }
}

extension ServerFrame.RoomRead {
    fileprivate init(_ fields: Fields) throws(WireError) {
        let isRead = fields.optional("error") == nil
        self.init(
            room: try fields.name("room"),
            result: isRead ? .success(try fields.natural("revision")) : .failure(try WireError(fields)))
    }
}

extension WireError {
    /// Reads an error. An unknown code or reason belongs to a later version. The code becomes `internal`: the client can
    /// only report it. The reason is left out.
    init(_ fields: Fields) throws(WireError) {
        let code = Code(rawValue: try fields.text("error")) ?? .internal
        self.init(
            code: code, reason: try fields.optionalText("reason").flatMap(Reason.init),
            field: try fields.optionalText("field"),
            try fields.text("message"), retryAfter: try fields.optionalMilliseconds("retryAfter"))
    }
}

extension ServerFrame.Snapshot where Row: WireRow {
    /// Reads a snapshot. An unknown reason belongs to a later version; it makes no difference to the reader.
    package init(_ fields: Fields) throws(WireError) {
        let joined = try fields.natural("joined")
        self.init(
            epoch: try fields.name("epoch"), joined: joined,
            why: ServerFrame.SnapshotReason(rawValue: try fields.text("why")) ?? .fresh,
            snapshot: ListSnapshot(
                revision: try fields.natural("revision"), rows: try fields.sections(at: joined),
                more: try fields.boolean("more"), proof: try fields.proof(), counts: try fields.counts(),
                missing: try fields.missing()))
    }
}

extension ListDiff where Row: WireRow {
    package init(_ fields: Fields) throws(WireError) {
        self.init(
            from: try fields.natural("from"), to: try fields.natural("to"),
            deletions: try fields.ids("del", of: Row.self),
            moves: try fields.objects("mov") { fields throws(WireError) in try ListMove(fields) },
            insertions: try fields.objects("ins") { fields throws(WireError) in
                try Row(fields, section: fields.section())
            },
            reloads: try fields.rows("rel", section: Row.rowWithoutSection),
            reconfigurations: try fields.objects("cfg") { fields throws(WireError) in
                try ListReconfiguration(fields)
            },
            patches: try fields.patches(),
            start: try fields.optionalNatural("start") ?? 0, proof: try fields.proof(), counts: try fields.counts(),
            missing: try fields.missing())
        ranges = try fields.ranges()
        kept = try fields.optionalNatural("kept")
        groups = try fields.groups()
        let known = ["del", "mov", "ins", "rel", "cfg", "ranges", "groups"] + Row.patches
        unknownOperation = fields.unknownArray(besides: known)
    }
}

extension ListPage where Row: WireRow {
    package init(_ fields: Fields) throws(WireError) {
        self.init(
            revision: try fields.natural("revision"), from: try fields.natural("from"), to: try fields.natural("to"),
            rows: try fields.rows("rows", section: Row.Section.first), more: try fields.boolean("more"),
            newer: try fields.boolean("newer"))
    }
}

extension MentionsPage {
    package init(_ fields: Fields) throws(WireError) {
        self.init(rows: try fields.rows("rows", section: .mentions), more: try fields.boolean("more"))
    }
}

extension MembersPage {
    package init(_ fields: Fields) throws(WireError) {
        var rows: [Member] = []
        for (index, value) in try fields.elements("rows").enumerated() {
            let fields = try Fields(value, path: "rows", index: index)
            rows.append(try Member(fields, section: fields.section()))
        }
        self.init(rows: rows, after: try fields.optional("after") == nil ? nil : fields.user("after", .known))
    }
}

extension Fields {
    /// Reads the `groups` of a diff.
    fileprivate func groups() throws(WireError) -> [Int]? {
        guard optional("groups") != nil else { return nil }
        var groups: [Int] = []
        for value in try elements("groups") {
            guard let group = value.natural, group < UInt64(RowSums.count), groups.last ?? -1 < Int(group) else {
                throw misshapen("groups", value.source, "an ascending number below \(RowSums.count)")
            }
            groups.append(Int(group))
        }
        return groups
    }

    func proof() throws(WireError) -> ListProof {
        let digest = try natural("digest")
        guard let digest = UInt32(exactly: digest) else { throw error("digest", "\(digest) is not below 4294967296") }
        return ListProof(count: try count("count"), digest: digest)
    }

    fileprivate func counts<Section: ListSection>(_: Section.Type = Section.self) throws(WireError) -> [Section: Int]? {
        guard let value = optional("counts") else { return nil }
        let fields = try Fields(value, path: "counts")
        var counts: [Section: Int] = [:]
        for section in Section.allCases { counts[section] = try fields.count(section.rawValue) }
        return counts
    }

    fileprivate func missing() throws(WireError) -> [Int] {
        guard let value = optional("missing") else { return [] }
        let fields = try Fields(value, path: "missing")
        var databases: [Int] = []
        for value in try fields.elements("databases") {
            guard let number = value.natural, let number = Int(exactly: number) else {
                throw fields.misshapen("databases", value.source, "the numbers of databases")
            }
            databases.append(number)
        }
        return databases
    }

    fileprivate func sections<Row: WireRow>(at joined: Revision) throws(WireError) -> [Row] {
        var rows: [Row.Section: [Row]] = [:]
        for (index, value) in try elements("sections").enumerated() {
            let fields = try Fields(value, path: "sections", index: index)
            let name = try fields.text("id")
            guard let section = Row.Section(rawValue: name), rows[section] == nil else {
                let known = Row.Section.allCases.map(\.rawValue).joined(separator: " or ")
                throw fields.misshapen("id", name, "\(known), each once")
            }
            let read: [Row] = try fields.rows("rows", section: section)
            if let row = read.first(where: { $0.section(joined: joined) != section }) {
                throw fields.error("rows", "sort \(row.sort) belongs to the other section, joined is \(joined)")
            }
            rows[section] = read
        }
        return Row.Section.allCases.flatMap { rows[$0] ?? [] }
    }

    fileprivate func rows<Row: WireRow>(_ key: String, section: Row.Section) throws(WireError) -> [Row] {
        try objects(key) { fields throws(WireError) in try Row(fields, section: section) }
    }

    fileprivate func ids<Row: WireRow>(_ key: String, of _: Row.Type) throws(WireError) -> [Row.ID] {
        var ids: [Row.ID] = []
        for value in try elements(key) { ids.append(try Row.id(key, value, of: self)) }
        return ids
    }

    /// Reads the objects of an array; none if the field is missing.
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

    fileprivate func patches<Row: WireRow>(of _: Row.Type = Row.self) throws(WireError) -> [ListPatch<Row>] {
        var patches: [ListPatch<Row>] = []
        for name in Row.patches {
            patches += try objects(name) { fields throws(WireError) in try ListPatch(fields, named: name) }
        }
        return patches
    }

    /// Returns the first field that is an array and is not one of `known`.
    fileprivate func unknownArray(besides known: [String]) -> String? {
        object.arrayKeys.first { !known.contains($0) }
    }
}
