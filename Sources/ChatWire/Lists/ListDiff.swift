/// How one revision of a list becomes a later one: net, minimal, applied all or nothing.
///
/// - Shape: applied in the order of the fields; an id stands in at most one of `deletions`, `moves` and `insertions`.
///   Ids that a reader does not hold are passed over, except in `insertions`: readers with windows of different depth
///   share one diff.
/// - Units: `from` and `to` are revisions of the list; `count` is in rows.
public struct ListDiff<Row: ListRow>: Equatable, Sendable {
    public var from: Revision
    public var to: Revision
    public var deletions: [Row.ID]
    public var moves: [ListMove<Row>]
    public var insertions: [Row]
    /// Rows whose content is replaced; their layout may change. Their place does not: the `section` and `sort` that
    /// stand here are not read.
    public var reloads: [Row]
    /// Rows that keep identity, place and layout and get new light fields.
    public var reconfigurations: [ListReconfiguration<Row>]
    /// Where the list begins: rows with sort keys below were trimmed, and go.
    public var start: UInt64
    public var proof: ListProof
    /// How many there are in each section, those that the list leaves out too; `nil` for a list that leaves none out.
    public var counts: [Row.Section: Int]?
    /// An operation of a later version, which this one cannot apply: the reader subscribes again.
    public var unknownOperation: String?

    public init(
        from: Revision, to: Revision, deletions: [Row.ID] = [], moves: [ListMove<Row>] = [], insertions: [Row] = [],
        reloads: [Row] = [], reconfigurations: [ListReconfiguration<Row>] = [], start: UInt64 = 0, proof: ListProof,
        counts: [Row.Section: Int]? = nil
    ) {
        self.from = from
        self.to = to
        self.deletions = deletions
        self.moves = moves
        self.insertions = insertions
        self.reloads = reloads
        self.reconfigurations = reconfigurations
        self.start = start
        self.proof = proof
        self.counts = counts
    }

    /// How many rows it names.
    public var changeCount: Int {
        deletions.count + moves.count + insertions.count + reloads.count + reconfigurations.count
    }
}

/// A row's new place.
public struct ListMove<Row: ListRow>: Equatable, Sendable {
    public let id: Row.ID
    public let section: Row.Section
    public let sort: UInt64
    public let rev: Revision

    public init(id: Row.ID, section: Row.Section, sort: UInt64, rev: Revision) {
        self.id = id
        self.section = section
        self.sort = sort
        self.rev = rev
    }
}

/// A row's new light fields.
public struct ListReconfiguration<Row: ListRow>: Equatable, Sendable {
    public let id: Row.ID
    public let rev: Revision
    public let light: Row.Light

    public init(id: Row.ID, rev: Revision, light: Row.Light) {
        self.id = id
        self.rev = rev
        self.light = light
    }
}

/// What a reader that applied everything must find: the list's length and a digest of its end.
public struct ListProof: Equatable, Sendable {
    /// How many rows the whole list has.
    public let count: Int
    /// ``ListDigest`` of the last `min(32, count)` rows.
    public let digest: UInt32

    public init(count: Int, digest: UInt32) {
        self.count = count
        self.digest = digest
    }
}

/// The rows at the end of a list, as of one revision.
///
/// - Shape: `rows` ascending by (section, sort).
public struct ListSnapshot<Row: ListRow>: Equatable, Sendable {
    public var revision: Revision
    public var rows: [Row]
    /// Whether the list has rows before these.
    public var more: Bool
    public var proof: ListProof
    /// See ``ListDiff/counts``.
    public var counts: [Row.Section: Int]?

    public init(
        revision: Revision, rows: [Row], more: Bool, proof: ListProof, counts: [Row.Section: Int]? = nil
    ) {
        self.revision = revision
        self.rows = rows
        self.more = more
        self.proof = proof
        self.counts = counts
    }
}

/// Older rows that a reader asked for, as of one revision.
///
/// - Shape: `rows` ascending by `sort`, all before the sort key asked for.
public struct ListPage<Row: ListRow>: Equatable, Sendable {
    public var revision: Revision
    public var rows: [Row]
    public var more: Bool

    public init(revision: Revision, rows: [Row], more: Bool) {
        self.revision = revision
        self.rows = rows
        self.more = more
    }
}
