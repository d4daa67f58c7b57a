package import ChatRoom
package import ChatWire
import JSON

/// The claims of a token.
package struct Claims: Sendable {
    package var user: UserName
    package var grants: [RoomPattern: Role]
    /// The end, in seconds since 1970-01-01T00:00:00Z.
    package var expires: Double
    package var notBefore: Double?
    package var issuer: String?
    package var audiences: [String]
    /// The time at which the token was made, in seconds since 1970-01-01T00:00:00Z.
    package var issued: Double?
    package var profile = Profile()

    package init(
        user: UserName, grants: [RoomPattern: Role], expires: Double, notBefore: Double? = nil, issuer: String? = nil,
        audiences: [String] = []
    ) {
        self.user = user
        self.grants = grants
        self.expires = expires
        self.notBefore = notBefore
        self.issuer = issuer
        self.audiences = audiences
    }
}

// MARK: - Reading

extension Claims {
    init(_ json: JSONValue) throws(TokenError) {
        user = try Self.user(json)
        grants = try Self.grants(json)
        guard let expires = try Self.time("exp", json) else {
            throw .claim("exp", "is missing: it must say when the token ends, in seconds since 1970")
        }
        self.expires = expires
        notBefore = try Self.time("nbf", json)
        issuer = json["iss"]?.string
        guard json["iss"] == nil || issuer != nil else { throw .claim("iss", "must be a string") }
        audiences = try Self.audiences(json)
    }

    private static func user(_ json: JSONValue) throws(TokenError) -> UserName {
        guard let name = json["sub"]?.string else { throw .claim("sub", "is missing: it must be a user's name") }
        guard let user = UserName(name) else {
            throw .claim("sub", "is not a valid user name: it \(UserName.fault(in: name) ?? "is none")")
        }
        return user
    }

    private static func grants(_ json: JSONValue) throws(TokenError) -> [RoomPattern: Role] {
        guard let object = json["grants"], object.kind == .object else {
            throw .claim("grants", "must be an object such as {\"lobby\":\"write\",\"team-*\":\"read\"}")
        }
        var grants: [RoomPattern: Role] = [:]
        for (key, _, value) in object.members {
            guard let pattern = RoomPattern(key) else {
                throw .claim("grants", "has '\(key)': must be a room's name, or the beginning of some and *")
            }
            guard let role = value.string.flatMap(Role.init) else {
                let all = Role.allCases.map(\.description).joined(separator: ", ")
                throw .claim("grants", "gives '\(key)' an unknown role: must be one of \(all)")
            }
            grants[pattern] = role
        }
        return grants
    }

    private static func time(_ name: String, _ json: JSONValue) throws(TokenError) -> Double? {
        guard let value = json[name] else { return nil }
        // Above this bound a time in milliseconds is no longer exact.
        guard value.kind == .natural || value.kind == .number, let time = Double(value.source), abs(time) < 1e12 else {
            throw .claim(name, "must be a time in seconds since 1970")
        }
        return time
    }

    private static func audiences(_ json: JSONValue) throws(TokenError) -> [String] {
        guard let value = json["aud"] else { return [] }
        let audiences = (value.elements ?? [value]).map(\.string)
        guard !audiences.contains(nil) else { throw .claim("aud", "must be a string, or several in an array") }
        return audiences.compactMap(\.self)
    }
}

// MARK: - Checking

extension Claims {
    /// - Parameter profile: what the same claims say of the user's profile.
    func bearer(
        under rules: TokenRules, at now: Milliseconds, profile: ClaimedProfile? = nil
    ) throws(TokenError) -> Bearer {
        let end = Milliseconds(expires * 1_000) + rules.leeway
        guard now < end else { throw .expired(seconds: Int((now - end + rules.leeway) / 1_000)) }
        if let notBefore, case let wait = Milliseconds(notBefore * 1_000) - now, wait > rules.leeway {
            throw .notYet(seconds: Int(wait / 1_000))
        }
        if let expected = rules.issuer, issuer?.hasBytes(of: expected) != true {
            throw .claim("iss", issuer == nil ? "is missing: it must be '\(expected)'" : "must be '\(expected)'")
        }
        switch rules.audience {
        case let expected? where !audiences.contains { $0.hasBytes(of: expected) }:
            throw .claim("aud", audiences.isEmpty ? "is missing: it must be '\(expected)'" : "must have '\(expected)'")
        case nil where !audiences.isEmpty:
            throw .claim("aud", "says that it is for another service: leave it out, or set --token-audience")
        case _: break
        }
        return Bearer(user: user, grants: Grants(grants), expires: end, profile: profile)
    }
}

// MARK: - Writing

extension Claims {
    /// Returns a token with these claims; `nil` for a key that cannot sign.
    package func signed(with key: Key) -> String? {
        var header = JSONWriter()
        header.object { json in
            json.string("alg", key.algorithm.rawValue)
            json.string("typ", "JWT")
            if let id = key.id { json.string("kid", id) }
        }
        var payload = JSONWriter()
        payload.object { write(to: &$0) }
        let message = Base64URL.encoded(header.bytes) + [UInt8(ascii: ".")] + Base64URL.encoded(payload.bytes)
        guard let signature = key.signature(of: message) else { return nil }
        return String(decoding: message + [UInt8(ascii: ".")] + Base64URL.encoded(signature), as: UTF8.self)
    }

    private func write(to json: inout JSONWriter) {
        json.string("sub", user.description)
        json.object("grants") { json in
            for (pattern, role) in grants.sorted(by: { $0.key.description < $1.key.description }) {
                json.string(pattern.description, role.description)
            }
        }
        json.number("exp", Int64(expires))
        if let issued { json.number("iat", Int64(issued)) }
        profile.write(to: &json)
        if let notBefore { json.number("nbf", Int64(notBefore)) }
        if let issuer { json.string("iss", issuer) }
        if let audience = audiences.first { json.string("aud", audience) }
    }
}
