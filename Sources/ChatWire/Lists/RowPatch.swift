/// A change of a row's light fields that names only what changes.
///
/// - Shape: a patch from one revision to another leads to the later state from each state that the row had in between, because
///   a page may have brought one of them.
public protocol RowPatch: Equatable, Sendable {
    associatedtype Light

    /// Finds the difference between a state and the next one.
    init(from old: Light, to new: Light)

    /// The size of what it names, in bytes.
    var size: Int { get }

    func apply(to light: inout Light)

    /// Adds the next change.
    mutating func merge(_ later: Self)

    /// Returns whether all light fields take less space.
    func isLarger(than light: Light) -> Bool
}

/// The patch of rows whose light fields are always sent whole: it changes nothing and is never sent.
public struct NoPatch<Light>: RowPatch {
    public init(from old: Light, to new: Light) {}

    public var size: Int { 0 }
    public func apply(to light: inout Light) {}
    public mutating func merge(_ later: Self) {}
    public func isLarger(than light: Light) -> Bool { true }
}
