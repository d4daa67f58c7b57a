/// The net change from one revision of a list to a later one. A reader applies all of it or nothing.
///
/// - Shape: applied in the order of the fields. An id stands in at most one of `deletions`, `moves` and `insertions`. A
///   reader ignores ids that it does not hold, except in `insertions`, so readers with windows of different depth share
///   one diff.
/// - Units: `from` and `to` are revisions of the list; `count` is in rows.
public struct ListDiff<Row: ListRow>: ListContent {
    public var from: Revision
    public var to: Revision
    public var deletions: [Row.ID]
    public var moves: [ListMove<Row>]
    public var insertions: [Row]
    /// Rows whose content is replaced, and whose layout may change. Their place stays: readers ignore the `section` and
    /// `sort` here.
    public var reloads: [Row]
    /// Rows that keep identity, place and layout and get new light fields.
    public var reconfigurations: [ListReconfiguration<Row>]
    /// Rows that keep identity and place, and of which a part changes.
    public var patches: [ListPatch<Row>]
    /// The beginning of the list. Rows with smaller sort keys were trimmed, and the reader removes them.
    public var start: UInt64
    /// The parts of the list that the reader may hold afterwards, ascending; `nil` if it keeps all of its rows and
    /// lacks none that came since.
    ///
    /// - Shape: not empty and disjoint, and the last one is open. No insertion lies outside.
    public var ranges: [ListRange]?
    /// The `rev` of each row that the reader has named in its ``Resume`` and that the diff does not name: the diff begins
    /// with those rows, in whatever epoch and at whatever revision the reader held them. `nil` for a diff between two
    /// revisions of one list.
    public var kept: Revision?
    /// The groups of ``RowSums`` in which the reader holds other rows: those that the diff does not name are gone. Ascending;
    /// `nil` unless the reader has named its sums.
    public var groups: [Int]?
    public var proof: ListProof
    /// The number of rows in each section, including those that the list leaves out; `nil` for a list that leaves none
    /// out.
    public var counts: [Row.Section: Int]?
    /// The databases whose rows are missing, by their numbers from 1, ascending: they did not answer. Empty for a whole list.
    public var missing: [Int]
    /// An operation of a later version that this one cannot apply. The reader subscribes again.
    public var unknownOperation: String?

    public init(
        from: Revision, to: Revision, deletions: [Row.ID] = [], moves: [ListMove<Row>] = [], insertions: [Row] = [],
        reloads: [Row] = [], reconfigurations: [ListReconfiguration<Row>] = [], patches: [ListPatch<Row>] = [],
        start: UInt64 = 0, proof: ListProof, counts: [Row.Section: Int]? = nil, missing: [Int] = []
    ) {
        self.from = from
        self.to = to
        self.deletions = deletions
        self.moves = moves
        self.insertions = insertions
        self.reloads = reloads
        self.reconfigurations = reconfigurations
        self.patches = patches
        self.start = start
        self.proof = proof
        self.counts = counts
        self.missing = missing
    }

    /// The number of rows that the diff names.
    public var changeCount: Int {
        deletions.count + moves.count + insertions.count + reloads.count + reconfigurations.count + patches.count
    }
}

/// A row's new place.
public struct ListMove<Row: ListRow>: Equatable, Sendable {
    public let id: Row.ID
    public let section: Row.Section
    public let sort: UInt64
    public let rev: Revision
    /// See ``ListRow/tag``. `nil` also if a reconfiguration of the same diff has it.
    public let tag: UniqueID?

    public init(id: Row.ID, section: Row.Section, sort: UInt64, rev: Revision, tag: UniqueID? = nil) {
        self.id = id
        self.section = section
        self.sort = sort
        self.rev = rev
        self.tag = tag
    }
}

/// A row's new light fields.
public struct ListReconfiguration<Row: ListRow>: Equatable, Sendable {
    public let id: Row.ID
    public let rev: Revision
    /// See ``ListRow/tag``.
    public let tag: UniqueID?
    public let light: Row.Light

    public init(id: Row.ID, rev: Revision, tag: UniqueID? = nil, light: Row.Light) {
        self.id = id
        self.rev = rev
        self.tag = tag
        self.light = light
    }
}

/// A change of a part of a row.
public struct ListPatch<Row: ListRow>: Equatable, Sendable {
    public let id: Row.ID
    public let rev: Revision
    public let patch: Row.Patch

    public init(id: Row.ID, rev: Revision, patch: Row.Patch) {
        self.id = id
        self.rev = rev
        self.patch = patch
    }
}

/// The proof that a reader has applied everything: the list's length and a digest of its end.
public struct ListProof: Hashable, Sendable {
    /// The number of rows in the whole list.
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
    /// True when the list has rows before these.
    public var more: Bool
    public var proof: ListProof
    /// See ``ListDiff/counts``.
    public var counts: [Row.Section: Int]?
    /// See ``ListDiff/missing``.
    public var missing: [Int]

    public init(
        revision: Revision, rows: [Row], more: Bool, proof: ListProof, counts: [Row.Section: Int]? = nil,
        missing: [Int] = []
    ) {
        self.revision = revision
        self.rows = rows
        self.more = more
        self.proof = proof
        self.counts = counts
        self.missing = missing
    }
}

/// A part of a list that a reader asked for, as of one revision.
///
/// - Shape: `rows` ascending by `sort`: all rows of the list from sort key `from` to sort key `to`. If nothing is
///   between the rows that the reader named, `from` is `to` + 1.
public struct ListPage<Row: ListRow>: ListContent {
    public var revision: Revision
    /// 0 if the page touches the beginning of the list.
    public var from: UInt64
    public var to: UInt64
    public var rows: [Row]
    /// True when the list has rows before `from`.
    public var more: Bool
    /// True when the list has rows after `to`.
    public var newer: Bool

    public init(revision: Revision, from: UInt64, to: UInt64, rows: [Row], more: Bool, newer: Bool) {
        self.revision = revision
        self.from = from
        self.to = to
        self.rows = rows
        self.more = more
        self.newer = newer
    }
}
