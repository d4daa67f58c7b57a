/// Where a page stands: in the section with this token, after so many others.
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
