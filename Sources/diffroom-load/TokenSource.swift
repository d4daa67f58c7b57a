import ChatClient
import ChatRoom
import ChatWire
import CommandLineFlags
import Foundation
import Tokens

/// Where the tokens of readers and writers come from.
enum TokenSource: Sendable {
    /// One for each user, made anew whenever it is wanted.
    case key(Key)
    /// One for all, read anew whenever it is wanted.
    case file(String)

    /// `nil` if neither is named.
    init?(_ values: FlagValues) throws(FlagError) {
        switch (values["key"], values["token-file"]) {
        case (nil, nil): return nil
        case (.some, let path?): throw .badValue("token-file", path, "cannot be given together with --key: choose one")
        case (nil, let path?): self = .file(path)
        case (let path?, nil):
            do throws(KeyFileError) {
                self = .key(try KeyFile(path: path).signingKey())
            } catch {
                throw .badValue("key", path, error.problem)
            }
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
