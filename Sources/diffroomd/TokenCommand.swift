import ChatRoom
import ChatWire
import CommandLineFlags
import Foundation
import Tokens

/// `diffroomd token`: makes a token for trying out the server.
struct TokenCommand {
    static let program = Program(
        name: "diffroomd token",
        summary: "makes a token and prints it",
        flags: [
            Flag("key", "FILE", "The private key that signs it, in PEM.", .file, .requiredUnless("secret")),
            Flag(
                "secret", "FILE",
                "Instead of --key: a secret for HS256, the bytes of the file. openssl rand -out FILE 32 makes one.",
                .file,
                .excludes("key")),
            Flag("user", "NAME", "The bearer's user name.", .required),
            Flag("grant", "ROOM=ROLE", "The bearer's role in a room: none, read, write, moderate or own.", .repeatable),
            Flag("name", "TEXT", "The bearer's display name. Default: none."),
            Flag("picture", "URL", "The https URL of the bearer's picture. Default: none."),
            Flag("ttl", "SECONDS", "How long the token is valid.", default: "3600"),
            Flag("issuer", "TEXT", "Its iss. Default: none."),
            Flag("audience", "TEXT", "Its aud. Default: none."),
        ],
        notes: """
            ROOM is a room's name, or the beginning of one and *: --grant lobby=write --grant 'team-*=read'. The most
            specific decides. Without --grant it opens only rooms whose owner appoints the user.

            Exit status: 0 it was made, 1 the key cannot be used, 2 the command line was wrong.
            """,
        section: 8,
        environmentPrefix: "DIFFROOMD_TOKEN"
    )

    private let key: KeySource
    private let user: UserName
    private let grants: [RoomPattern: Role]
    private let profile: Profile
    /// The token's lifetime in seconds.
    private let ttl: Int
    private let issuer: String?
    private let audience: String?

    init(_ values: FlagValues) throws(FlagError) {
        grants = try Self.grants(values.all("grant"))
        profile = try Self.profile(values)
        ttl = try values.number("ttl", in: 1...1_000_000_000)
        issuer = values["issuer"]
        audience = values["audience"]
        let name = values["user"] ?? ""
        guard let user = UserName(typed: name) else {
            throw .badValue("user", name, "the name \(UserName.fault(in: name) ?? "is none")")
        }
        self.user = user
        guard let key = KeySource(keys: values["key"], secret: values["secret"]) else {
            throw .badValue("key", "", "is needed, or --secret FILE", because: ["secret"])
        }
        self.key = key
    }

    private static func profile(_ values: FlagValues) throws(FlagError) -> Profile {
        var profile = Profile()
        if let name = values["name"] {
            profile.name = DisplayName(name)
            guard profile.name != nil else {
                throw .badValue("name", name, "the name \(UserName.fault(in: name) ?? "is none")")
            }
        }
        if let picture = values["picture"] {
            profile.picture = Picture(picture)
            guard profile.picture != nil else {
                throw .badValue("picture", picture, "must be an https URL of at most \(Picture.limit) bytes")
            }
        }
        return profile
    }

    private static func grants(_ texts: [String]) throws(FlagError) -> [RoomPattern: Role] {
        var grants: [RoomPattern: Role] = [:]
        for grant in texts {
            let parts = grant.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let pattern = RoomPattern(String(parts[0])), let role = Role(String(parts[1]))
            else {
                throw .badValue("grant", grant, "must be ROOM=ROLE, such as lobby=write or team-*=read")
            }
            grants[pattern] = role
        }
        return grants
    }

    static func run() throws -> Never {
        let (command, _) = program.begin(
            environment: ProcessInfo.processInfo.environment, version: diffroomVersion, of: diffroomd.program,
            understand: Self.init)
        if let warning = command.warning { Console.writeError("\(program.name): \(warning)") }
        Console.answer(try command.token(now: .now), by: program.name)
    }

    /// The warning about an optional flag that was likely forgotten; `nil` for none.
    private var warning: String? {
        guard grants.isEmpty else { return nil }
        return "without --grant the token opens no room but those to which an owner appoints \(user):"
            + " --grant lobby=write lets \(user) write in lobby"
    }

    /// - Throws: ``KeyFileError``.
    private func token(now: Date) throws(KeyFileError) -> String {
        var claims = Claims(
            user: user, grants: grants, expires: (now.timeIntervalSince1970 + Double(ttl)).rounded(.down),
            issuer: issuer, audiences: audience.map { [$0] } ?? [])
        (claims.issued, claims.profile) = (now.timeIntervalSince1970.rounded(.down), profile)
        guard let token = claims.signed(with: try KeyFile(key).signingKey()) else {
            preconditionFailure("\(key.path): a private key that does not sign")
        }
        return token
    }
}
