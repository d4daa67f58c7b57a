import ChatClient
import ChatRoom
import ChatWire
import CommandLineFlags
import Foundation
import Tokens

/// The user's identity and its proof.
enum Credentials {
    /// A name without proof.
    case name
    /// A token in a file, read for each connection and when the current one ends soon.
    case file(String)
    case token(String)
    /// A key with which the client makes its own tokens.
    case key(Key)

    /// Reads a token from a file or `DIFFROOM_TOKEN`. On the command line, all users of the machine could read it.
    init(_ values: FlagValues, environment: [String: String]) throws(FlagError) {
        if let path = values["token-file"] {
            self = .file(path)
            do throws(TokenUnavailable) { _ = try Self.read(path) } catch {
                throw .badValue("token-file", path, "\(error)")
            }
        } else if let token = environment["DIFFROOM_TOKEN"], !token.isEmpty {
            self = .token(token)
        } else {
            self = .name
        }
    }

    /// - Parameters:
    ///   - key: the file of a private key.
    ///   - secret: the file of a secret. Both are `nil` where names need no proof.
    init(key: String?, secret: String?) throws(FlagError) {
        guard let source = KeySource(keys: key, secret: secret) else {
            self = .name
            return
        }
        do throws(KeyFileError) {
            self = .key(try KeyFile(source).signingKey())
        } catch {
            throw .badValue(key == nil ? "secret" : "key", source.path, error.problem)
        }
    }

    func client(
        of url: String, as user: UserName, authorities: String?
    ) throws(ChatClientError) -> ChatClient {
        let tokens: ChatClient.TokenProvider
        switch self {
        case .name: return try ChatClient(url: url, user: user, authorities: authorities)
        case .file(let path): tokens = { try Self.read(path) }
        case .token(let token): return try ChatClient(url: url, credential: .token(token), authorities: authorities)
        case .key(let key): tokens = { try Self.token(for: user, with: key) }
        }
        return try ChatClient(url: url, tokens: tokens, authorities: authorities)
    }

    /// A placeholder for the user's name until the server has sent it; `nil` where the name is given.
    var stranger: String? {
        if case .name = self { nil } else { "me" }
    }

    private static func token(for user: UserName, with key: Key) throws(TokenUnavailable) -> String {
        let grants = RoomPattern("*").map { [$0: Role.write] } ?? [:]
        let claims = Claims(user: user, grants: grants, expires: Date.now.timeIntervalSince1970 + 3_600)
        guard let token = claims.signed(with: key) else { throw TokenUnavailable("the key does not sign") }
        return token
    }

    private static func read(_ path: String) throws(TokenUnavailable) -> String {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw TokenUnavailable("cannot be read: it must hold a token, and nothing else")
        }
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty else { throw TokenUnavailable("is empty: it must hold a token") }
        return token
    }

    static let flag = Flag(
        "token-file", "FILE",
        "The file with your token, read again for each connection.\n"
            + "DIFFROOM_TOKEN may hold one instead.", .file)
}
