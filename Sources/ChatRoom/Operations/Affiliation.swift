public import ChatWire

/// A person's standing in a private or direct room and their membership of it, which change together.
///
/// - Source: the word is that of XMPP's Multi-User Chat, XEP-0045.
public struct Affiliation: Equatable, Sendable {
    public let user: UserName
    public let standing: Standing
    /// `nil` for a user who is no longer a member or invited.
    public let membership: MembershipKind?

    public init(_ user: UserName, _ standing: Standing, _ membership: MembershipKind?) {
        self.user = user
        self.standing = standing
        self.membership = membership
    }
}
