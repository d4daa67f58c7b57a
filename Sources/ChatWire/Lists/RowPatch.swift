/// A change of a row that names only what changes.
///
/// - Shape: a patch from one revision to another leads to the later state from each state that the row had in between, because
///   a page may have brought one of them.
public protocol RowPatch: Equatable, Sendable {
    associatedtype Row

    /// The size of what it names, in bytes.
    var size: Int { get }

    /// True if the row's layout may change, as after a reload.
    var reloads: Bool { get }

    /// Returns false if the patch does not start from this state of the row; discard the row then.
    func apply(to row: inout Row) -> Bool

    /// Adds the next change.
    mutating func merge(_ later: Self)

    /// Returns whether the row, or its light fields if the patch changes no others, take less space.
    func isLarger(than row: Row) -> Bool
}

/// The patch of rows that are always sent whole: it changes nothing and is never sent.
public struct NoPatch<Row>: RowPatch {
    public var size: Int { 0 }
    public var reloads: Bool { false }
    public func apply(to row: inout Row) -> Bool { true }
    public mutating func merge(_ later: Self) {}
    public func isLarger(than row: Row) -> Bool { true }
}
