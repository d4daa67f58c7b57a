/// A person's name for display. Several people may have the same: only a ``UserName`` identifies a person.
///
/// It is checked as a user's name is, for the same reasons: ``init(_:)`` is for one that a person enters, ``init(known:)``
/// for one from a store or a server.
///
/// - Shape: 1 to 64 bytes of UTF-8 without ASCII control characters.
public struct DisplayName: BytewiseName {
    public let description: String

    /// `nil` where ``UserName/fault(in:)`` finds something.
    public init?(_ text: String) {
        guard UserName.fault(in: text) == nil else { return nil }
        description = text
    }

    /// `nil` unless `text` has the shape.
    public init?(known text: String) {
        guard UserName(known: text) != nil else { return nil }
        description = text
    }
}
