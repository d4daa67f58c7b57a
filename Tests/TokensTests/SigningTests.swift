import ChatRoom
import ChatWire
import Foundation
import TestSupport
import Testing
import Tokens

/// The tokens of `diffroomd token`.
struct SigningTests {
    private let folder = TemporaryFolder()
    private var openssl: OpenSSLCommand { OpenSSLCommand(folder: folder) }

    private static let claims = Claims(
        user: UserName("ann")!, grants: [RoomPattern("team-*")!: .moderate], expires: 2e9)

    private func bearer(of token: String, _ source: KeySource) throws -> Bearer {
        try Keyring(source).bearer(of: token, at: 1_999_999_000_000)
    }

    @Test(arguments: [
        (Algorithm.rs256, ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]),
        (.es256, ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]), (.edDSA, ["-algorithm", "ed25519"]),
    ])
    func whatAPrivateKeySignsItsPublicKeyVerifiesHereAndInOpenSSL(algorithm: Algorithm, options: [String]) throws {
        let path = folder.file("key.pem")
        try #require(ChildProcess("openssl", ["genpkey", "-out", path] + options).wait() == .exit(0))
        let shown = folder.file("public.pem")
        try openssl("pkey", "-in", path, "-pubout", "-out", shown)
        let key = try #require(try KeyFile(.keys(path: path)).keys.first)

        let token = try #require(Self.claims.signed(with: key))

        #expect(key.algorithm == algorithm)
        #expect(try bearer(of: token, .keys(path: shown)).grants.role(in: RoomName("team-a")!) == .moderate)
        try verify(token, algorithm, shown)
    }

    /// Another program checks them, from the token's text alone.
    private func verify(_ token: String, _ algorithm: Algorithm, _ shown: String) throws {
        let parts = token.split(separator: ".")
        let standard = String(parts[2]).replacing("-", with: "+").replacing("_", with: "/")
        let padded = standard + String(repeating: "=", count: (4 - standard.count % 4) % 4)
        var signature = try #require(Data(base64Encoded: padded))
        if algorithm == .es256 { signature = Self.der(signature) }
        let (message, signed) = (folder.file("message"), folder.file("signature"))
        try Data(parts[..<2].joined(separator: ".").utf8).write(to: URL(filePath: message))
        try signature.write(to: URL(filePath: signed))
        let hash = algorithm == .edDSA ? [] : ["-digest", "sha256"]
        let arguments = ["pkeyutl", "-verify", "-pubin", "-inkey", shown, "-rawin", "-in", message, "-sigfile", signed]
        #expect(try ChildProcess("openssl", arguments + hash).wait() == .exit(0))
    }

    /// r and s as two ASN.1 integers in a sequence.
    private static func der(_ halves: Data) -> Data {
        let integers = [halves.prefix(32), halves.suffix(32)].map { half -> Data in
            let digits = Data(half.drop { $0 == 0 })
            let padded = (digits.first ?? 0x80) >= 0x80 ? Data([0]) + digits : digits
            return Data([2, UInt8(padded.count)]) + padded
        }
        let body = integers[0] + integers[1]
        return Data([0x30, UInt8(body.count)]) + body
    }

    @Test func aSecretMakesTokensThatItTakes() throws {
        let path = folder.file("secret")
        try openssl("rand", "-out", path, "32")
        let key = try #require(try KeyFile(.secret(path: path)).keys.first)

        let token = try #require(Self.claims.signed(with: key))

        #expect(try bearer(of: token, .secret(path: path)).user == Self.claims.user)
    }

    @Test func aPublicKeySignsNothing() throws {
        _ = try openssl.makeKey("key", "-algorithm", "ed25519")
        let key = try #require(try KeyFile(.keys(path: openssl.publicKey(of: "key"))).keys.first)

        #expect(!key.isPrivate)
        #expect(Self.claims.signed(with: key) == nil)
    }

    // MARK: - Rotation

    @Test func afterReadingAgainTheNewKeysHoldAndTheOldOnesDoNot() throws {
        let path = folder.file("secret")
        try openssl("rand", "-out", path, "32")
        let keyring = try Keyring(.secret(path: path))
        let old = try #require(Self.claims.signed(with: KeyFile(.secret(path: path)).keys[0]))
        try openssl("rand", "-out", path, "32")
        let new = try #require(Self.claims.signed(with: KeyFile(.secret(path: path)).keys[0]))

        #expect(throws: Never.self) { try keyring.bearer(of: old, at: 0) }
        #expect(throws: TokenError.wrongSignature) { try keyring.bearer(of: new, at: 0) }
        try keyring.reload()
        #expect(throws: TokenError.wrongSignature) { try keyring.bearer(of: old, at: 0) }
        #expect(throws: Never.self) { try keyring.bearer(of: new, at: 0) }
    }

    @Test func aFileThatCannotBeReadLeavesTheKeysAsTheyAre() throws {
        let path = folder.file("secret")
        try openssl("rand", "-out", path, "32")
        let keyring = try Keyring(.secret(path: path))
        let token = try #require(Self.claims.signed(with: KeyFile(.secret(path: path)).keys[0]))
        try FileManager.default.removeItem(atPath: path)

        #expect(throws: KeyFileError.self) { try keyring.reload() }
        #expect(throws: Never.self) { try keyring.bearer(of: token, at: 0) }
    }
}
