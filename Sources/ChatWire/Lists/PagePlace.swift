/// The rows of a list that a page has.
public enum PagePlace: Equatable, Sendable {
    /// The last rows below a sort key.
    case before(UInt64)
    /// The first rows above a sort key.
    case after(UInt64)
    /// The last rows between two sort keys.
    case between(after: UInt64, before: UInt64)
    /// Rows on both sides of one.
    case around(Anchor)

    /// The row that a page is around.
    public enum Anchor: Equatable, Sendable {
        case id(MessageID)
        /// The first row that was inserted at the revision or later.
        case revision(Revision)
        /// The first row that was said at the time or later.
        case time(Milliseconds)
    }
}
