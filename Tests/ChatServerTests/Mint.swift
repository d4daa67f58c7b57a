import ChatRoom
import ChatWire
import Foundation
import TestSupport
import Tokens

/// A secret, and the tokens that it makes.
struct Mint {
    private let folder = TemporaryFolder()

    init() {
        let secret = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        try? secret.write(to: URL(filePath: path))
    }

    var path: String { folder.file("secret") }

    func keyring(leeway: Milliseconds) throws -> Keyring {
        var rules = TokenRules()
        rules.leeway = leeway
        return try Keyring(.secret(path: path), rules: rules)
    }

    /// - Parameters:
    ///   - ttl: in seconds.
    ///   - issued: the second, before the present one, in which it was made; `nil` to leave it out.
    func token(
        _ user: String, _ grants: [String: Role], ttl: Double = 3_600, named profile: Profile = Profile(),
        issued: Double? = nil
    ) throws -> String {
        let pairs = grants.map { (RoomPattern($0.key)!, $0.value) }
        var claims = Claims(
            user: UserName(user)!, grants: Dictionary(uniqueKeysWithValues: pairs),
            expires: Date.now.timeIntervalSince1970 + ttl)
        claims.profile = profile
        claims.issued = issued.map { Date.now.timeIntervalSince1970 - $0 }
        guard let token = claims.signed(with: try KeyFile(.secret(path: path)).keys[0]) else { throw Unexpected() }
        return token
    }
}
