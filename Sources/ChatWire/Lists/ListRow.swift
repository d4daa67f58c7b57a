/// One row of a list: an identity, a place and content.
///
/// Only (``section``, ``sort``) orders the rows; the wire carries no index.
public protocol ListRow: Equatable, Sendable {
    /// Described as it stands in frames.
    associatedtype ID: Hashable & Sendable & CustomStringConvertible
    /// The list's sections, ordered as the cases are.
    associatedtype Section: ListSection
    /// The fields that change while the row keeps its layout. A reconfigure carries only these.
    associatedtype Light: Equatable & Sendable
    /// A change that names only what changes.
    associatedtype Patch: RowPatch = NoPatch<Self> where Patch.Row == Self

    var id: ID { get }
    var section: Section { get set }
    /// The sort key, unique in the list.
    var sort: UInt64 { get set }
    /// The revision that last touched the row.
    var rev: Revision { get set }
    var light: Light { get set }
    /// Stands for the row's place and content: whoever has a row with the same id and tag has this row, whatever server it
    /// is from. `nil` in a list whose rows have none.
    var tag: UniqueID? { get set }

    /// Mixes in the bytes of `id` that the digest covers.
    static func mix(_ id: ID, into hash: inout FNVHash)

    /// Returns the row's section for a reader that joined at this revision.
    func section(joined: Revision) -> Section
}

extension ListRow {
    public var tag: UniqueID? {
        get { nil }
        set {}
    }

    public func section(joined: Revision) -> Section { section }
}

/// The sections of a list.
public protocol ListSection: Hashable, Sendable, CaseIterable, Comparable, RawRepresentable where RawValue == String {
    /// The section's place among all cases, from 0 on.
    var order: Int { get }
}

extension ListSection {
    static var first: Self { allCases[allCases.startIndex] }

    public static func < (left: Self, right: Self) -> Bool {
        left.order < right.order
    }

    /// By default the raw value would be hashed, which takes several times as long.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(order)
    }
}
