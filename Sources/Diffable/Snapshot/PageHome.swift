/// The location of a page: the section with this token, and the number of pages before it.
@frozen
@usableFromInline
struct PageHome: Equatable, Sendable {
    @usableFromInline var token: Int32
    @usableFromInline var ordinal: Int32

    @inlinable
    init(token: Int, ordinal: Int) {
        self.token = Int32(truncatingIfNeeded: token)
        self.ordinal = Int32(truncatingIfNeeded: ordinal)
    }
}
