package import ChatRoom
package import ChatWire
import JSON

/// The profile in a token's claims.
package struct ClaimedProfile: Equatable, Sendable {
    package let profile: Profile
    /// The second in which the token was made, since 1970-01-01T00:00:00Z; `nil` if it does not say.
    package let issued: Int64?
    /// The faults of the claims that are ignored. They do not make the token invalid.
    package let faults: [String]

    package init(profile: Profile, issued: Int64?, faults: [String] = []) {
        (self.profile, self.issued, self.faults) = (profile, issued, faults)
    }

    /// `nil` if the token has none of the claims.
    ///
    /// - Parameter now: a token from the future, by this server's clock, is of this time: it would outlast others.
    init?(_ json: JSONValue, at now: Milliseconds) {
        guard json["name"] != nil || json["picture"] != nil else { return nil }
        var faults: [String] = []
        func read<Value>(_ claim: String, _ rule: String, _ value: (String) -> Value?) -> Value? {
            guard let json = json[claim], json.kind != .null, json.string != "" else { return nil }
            let read = json.string.flatMap(value)
            if read == nil { faults.append("\(claim) \(rule)") }
            return read
        }
        profile = Profile(
            name: read("name", "is not 1 to 64 bytes as in a user's name") { DisplayName($0) },
            picture: read("picture", "is no https URL of at most \(Picture.limit) bytes") { Picture($0) })
        issued = Self.second(json["iat"]).map { min($0, now / 1_000) }
        self.faults = faults
    }

    private static func second(_ json: JSONValue?) -> Int64? {
        guard let json, json.kind == .natural || json.kind == .number else { return nil }
        return Double(json.source).flatMap { (0..<1e12).contains($0) ? Int64($0) : nil }
    }

    /// The change for the store; `nil` for none.
    package func change(of user: UserName) -> ProfileChange? {
        profile.isEmpty ? nil : ProfileChange(user: user, profile: profile, source: .token(issued))
    }
}
