package import ChatRoom
package import ChatWire

/// Who somebody is, what they may do, and until when that is known.
package struct Bearer: Equatable, Sendable {
    package let user: UserName
    package let grants: Grants
    /// `nil` for ever.
    package let expires: Milliseconds?

    package init(user: UserName, grants: Grants, expires: Milliseconds?) {
        self.user = user
        self.grants = grants
        self.expires = expires
    }

    /// Somebody of whom nothing is known but a name that nothing proves.
    package static func unproved(_ user: UserName) -> Bearer {
        Bearer(user: user, grants: .open, expires: nil)
    }
}
