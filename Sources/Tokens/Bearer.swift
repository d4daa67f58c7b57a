package import ChatRoom
package import ChatWire

/// A user with its rights, and the time until which both are valid.
package struct Bearer: Equatable, Sendable {
    package let user: UserName
    package let grants: Grants
    /// `nil` if there is no end.
    package let expires: Milliseconds?
    /// `nil` if nothing proves what the user is called.
    package let profile: ClaimedProfile?

    package init(user: UserName, grants: Grants, expires: Milliseconds?, profile: ClaimedProfile? = nil) {
        self.user = user
        self.grants = grants
        self.expires = expires
        self.profile = profile
    }

    /// Returns the bearer for a name without proof.
    package static func unproved(_ user: UserName) -> Bearer {
        Bearer(user: user, grants: .open, expires: nil)
    }
}
