import ChatClient
import ChatRoom
import ChatWire
import CommandLineFlags
import Foundation
import Tokens

/// The source of tokens for readers and publishers.
enum TokenSource: Sendable {
    /// A token for each user, made on demand.
    case key(Key)
    /// One token for all, read again on demand.
    case file(String)

    /// `nil` if neither is named.
    init?(_ values: FlagValues) throws(FlagError) {
        guard let source = KeySource(keys: values["key"], secret: values["secret"]) else {
            guard let path = values["token-file"] else { return nil }
            self = .file(path)
            return
        }
        do throws(KeyFileError) {
            self = .key(try KeyFile(source).signingKey())
        } catch {
            throw .badValue(values["key"] == nil ? "secret" : "key", source.path, error.problem)
        }
    }

    func token(for user: UserName, now: Date) -> Result<String, TokenUnavailable> {
        switch self {
        case .key(let key):
            let claims = Claims(
                user: user, grants: Self.all, expires: now.timeIntervalSince1970 + Self.hour)
            return claims.signed(with: key).map { .success($0) } ?? .failure(TokenUnavailable("the key does not sign"))
        case .file(let path):
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                return .failure(TokenUnavailable("\(path) cannot be read"))
            }
            return .success(text.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    /// In seconds.
    private static let hour = 3_600.0
    private static let all = RoomPattern("*").map { [$0: Role.write] } ?? [:]
}
