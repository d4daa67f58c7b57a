package import ChatWire

/// A person's profile as the store keeps it. An empty one was removed, and stays known as of its second.
package struct StoredProfile: Equatable, Sendable {
    package let profile: Profile
    /// The second that it is of, since 1970-01-01T00:00:00Z; 0 if unknown.
    package let second: Int64

    package init(profile: Profile, second: Int64) {
        self.profile = profile
        self.second = second
    }
}

/// A statement about a person's profile. ``applied(to:)`` decides if it replaces the profile, for every store.
package struct ProfileChange: Equatable, Sendable {
    package enum Source: Equatable, Sendable {
        /// The person's token, which was made in this second; `nil` if it does not say when.
        case token(Int64?)
        /// The operator, in this second.
        case `operator`(Int64)
    }

    package let user: UserName
    package let profile: Profile
    package let source: Source

    package init(user: UserName, profile: Profile, source: Source) {
        (self.user, self.profile, self.source) = (user, profile, source)
    }

    /// Returns the change as of `second`, if it says that it is of a later one. A profile of a second to come, which a clock
    /// said that was wrong, would outlast all that follow it.
    package func notAfter(_ second: Int64) -> ProfileChange {
        let source: Source =
            switch source {
            case .token(let issued): .token(issued.map { min($0, second) })
            case .operator(let issued): .operator(min(issued, second))
            }
        return ProfileChange(user: user, profile: profile, source: source)
    }

    /// Returns what is to be stored; `nil` if everything stays as it is.
    ///
    /// The operator is always right. A token is if it is newer than what is stored, and one that does not say when it was
    /// made if nothing is. A token that says nothing new changes nothing, not even the second.
    package func applied(to stored: StoredProfile?) -> StoredProfile? {
        switch source {
        case .operator(let second):
            let result = StoredProfile(profile: profile, second: max(second, stored?.second ?? 0))
            return result == stored ? nil : result
        case .token(let second):
            if let stored, stored.profile == profile || stored.second >= second ?? 0 { return nil }
            return profile.isEmpty ? nil : StoredProfile(profile: profile, second: second ?? 0)
        }
    }
}
