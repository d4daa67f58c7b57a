/// One row of a list: an identity, a place and content.
///
/// Order is nothing but (``section``, ``sort``); no index ever travels.
public protocol ListRow: Equatable, Sendable {
    associatedtype ID: Hashable & Sendable
    /// The list's sections; their order is the order of the cases.
    associatedtype Section: ListSection
    /// The fields that change while the row keeps its layout: all that a reconfigure carries.
    associatedtype Light: Equatable & Sendable

    var id: ID { get }
    var section: Section { get set }
    /// Unique in its list.
    var sort: UInt64 { get set }
    /// The revision that last touched the row.
    var rev: Revision { get set }
    /// The light fields as they are.
    var light: Light { get set }

    /// Mixes in the bytes of `id` that the digest covers.
    static func mix(_ id: ID, into hash: inout FNVHash)

    /// The section in which a reader has the row that joined at this revision.
    func section(joined: Revision) -> Section
}

extension ListRow {
    public func section(joined: Revision) -> Section { section }
}

/// The sections of a list.
public protocol ListSection: Hashable, Sendable, CaseIterable, Comparable, RawRepresentable where RawValue == String {}

extension ListSection {
    public static func < (left: Self, right: Self) -> Bool {
        left.order < right.order
    }

    private var order: Int {
        var order = 0
        for section in Self.allCases {
            if section == self { break }
            order += 1
        }
        return order
    }
}
