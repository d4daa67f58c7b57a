import ChatWire
import Foundation
import TestSupport
import Testing
import Tokens

struct KeyFileTests {
    private let folder = TemporaryFolder()
    private var openssl: OpenSSLCommand { OpenSSLCommand(folder: folder) }

    private enum Kind {
        case keys, secret

        func source(_ path: String) -> KeySource { self == .keys ? .keys(path: path) : .secret(path: path) }
    }

    private func problem(_ bytes: some Sequence<UInt8>, as kind: Kind) throws -> String {
        let path = folder.file("keys")
        try Data(bytes).write(to: URL(filePath: path))
        return try problem(at: path, as: kind)
    }

    private func problem(at path: String, as kind: Kind = .keys) throws -> String {
        do throws(KeyFileError) {
            _ = try KeyFile(kind.source(path))
            return "none"
        } catch {
            #expect(error.path == path)
            return error.problem
        }
    }

    @Test func severalBlocksOfPEMAreSeveralKeys() throws {
        let first = try openssl.makeKey("a", "-algorithm", "ed25519")
        let second = try openssl.makeKey("b", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
        let both = try [first, openssl.publicKey(of: "b")].map { try String(contentsOfFile: $0, encoding: .utf8) }
        let path = folder.file("both.pem")
        try both.joined(separator: "# and another\n").write(toFile: path, atomically: true, encoding: .utf8)

        let keys = try KeyFile(.keys(path: path)).keys

        #expect(keys.map(\.algorithm) == [.edDSA, .es256])
        #expect(keys.map(\.isPrivate) == [true, false])
        #expect(try KeyFile(.keys(path: second)).keys.map(\.isPrivate) == [true])
    }

    @Test func theCurveThatSomeToolsWriteInFrontOfAKeyIsPassedOver() throws {
        let path = folder.file("key.pem")
        try openssl("ecparam", "-name", "prime256v1", "-genkey", "-out", path)

        #expect(try KeyFile(.keys(path: path)).keys.map(\.algorithm) == [.es256])
    }

    @Test func aSecretIsTheBytesOfTheFile() throws {
        #expect(try problem([UInt8](repeating: 0x0A, count: 31) + [0xFF], as: .secret) == "none")
        #expect(try problem([UInt8](repeating: 0xFF, count: 31) + [0x0A], as: .secret) == "none")
    }

    @Test func aSecretThatIsALineOfTextIsRefusedAsToolsDifferAboutItsEnd() throws {
        let line = String(repeating: "a", count: 44)

        #expect(try problem(Array("\(line)\n".utf8), as: .secret).hasPrefix("secret: ends with a line break"))
        #expect(try problem(Array(line.utf8), as: .secret) == "none")
    }

    @Test func aSecretBelow32BytesIsRefused() throws {
        #expect(
            try problem([UInt8](repeating: 0x80, count: 31), as: .secret)
                == "is too weak: 31 bytes, must be at least 32")
    }

    @Test func whatIsTooWeakOrOfAnotherKindIsRefused() throws {
        let weak = try openssl.makeKey("weak", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024")
        let other = try openssl.makeKey("other", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384")
        let pss = try openssl.makeKey("pss", "-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048")

        #expect(try problem(at: weak).contains("RSA below 2048 bits"))
        #expect(try problem(at: other).contains("a key of another kind"))
        #expect(try problem(at: pss).contains("a key of another kind"))
    }

    @Test func aPrivateKeyWithAPasswordIsRefusedAndNobodyIsAskedForIt() throws {
        let path = folder.file("locked.pem")
        try openssl("genpkey", "-algorithm", "ed25519", "-aes256", "-pass", "pass:word", "-out", path)

        #expect(try problem(at: path).contains("without a password"))
    }

    @Test func aFileThatIsNotThereIsNamed() throws {
        #expect(try problem(at: folder.file("nowhere")).hasPrefix("cannot be read"))
    }

    @Test(arguments: [
        (#"{"keys":7}"#, "keys: must be an array"), (#"{"keys":[]}"#, "holds no key that can be used"),
        (#"{"keys":[],"keys":[]}"#, "JSON: "), (#"{"keys":[{"kty":"oct","k":"AAAA"}]}"#, "too weak: 3 bytes"),
        (#"{"keys":[{"kid":"x","kty":"RSA","n":"=","e":"AQAB"}]}"#, "key 'x': n: must be base64url"),
        (#"{"keys":[{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ"}]}"#, "is no public key"),
        (#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AQ"}]}"#, "is no public key"),
        (#"{"keys":[7,{"kty":"unheard"}]}"#, "a key of another kind"),
    ])
    func aKeySetWithoutAKeyIsRefusedAndSaysWhy(text: String, problem expected: String) throws {
        #expect(try problem(Array(text.utf8), as: .keys).contains(expected))
    }

    // MARK: - Files of another kind

    private static let page = "<!DOCTYPE html>\n<html><body><h1>502 Bad Gateway</h1><p>Come back.</p></body></html>"
    private static let set = #"{"keys":[{"kty":"oct","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]}"#

    /// Each was once accepted as a secret, although everybody could know it.
    static let mistaken: [(what: String, bytes: [UInt8])] = [
        ("a key set that is cut short", Array(set.utf8.dropLast(2))),
        ("a key set with a byte order mark", [0xEF, 0xBB, 0xBF] + Array(set.utf8)),
        ("a key set with a comma too many", Array(set.replacing("]", with: ",]").utf8)),
        ("a key set in UTF-16", set.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }),
        ("an error page", Array(page.utf8)),
        ("an error page with a line end", Array("\n\(page)\n".utf8)),
        ("a key of SSH", Array("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7Zk0k ann@example".utf8)),
        ("nothing", []),
        ("a secret", [UInt8](repeating: 0x80, count: 32)),
        ("a secret in letters", Array(String(repeating: "a1", count: 32).utf8)),
    ]

    @Test(arguments: mistaken)
    func whatIsNeitherPEMNorAKeySetHasNoKeys(what: String, bytes: [UInt8]) throws {
        #expect(try problem(bytes, as: .keys).contains("neither PEM nor a JSON Web Key Set"))
    }

    @Test(arguments: mistaken.prefix(8).filter { !$0.what.contains("UTF-16") })
    func whatOthersMayHaveIsNoSecret(what: String, bytes: [UInt8]) throws {
        #expect(try problem(bytes, as: .secret) != "none")
    }

    @Test func noKeyIsASecretInWhateverForm() throws {
        let path = try openssl.makeKey("key", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048")
        let shown = openssl.publicKey(of: "key")
        let (der, shownDER) = (folder.file("key.der"), folder.file("shown.der"))
        try openssl("pkey", "-in", path, "-outform", "DER", "-out", der)
        try openssl("pkey", "-in", path, "-pubout", "-outform", "DER", "-out", shownDER)

        #expect(try problem(at: path, as: .secret).contains("is PEM"))
        #expect(try problem(at: shown, as: .secret).contains("is PEM"))
        #expect(try problem(at: der, as: .secret).contains("a key in DER"))
        #expect(try problem(at: shownDER, as: .secret).contains("a key in DER"))
        #expect(try problem(at: der, as: .keys).contains("neither PEM nor a JSON Web Key Set (no text)"))
    }

    @Test(arguments: 0..<9)
    func aFileOfKeysThatIsCutShortIsRefusedWhereverThatIs(part: Int) throws {
        let first = try openssl.makeKey("a", "-algorithm", "ed25519")
        let second = openssl.publicKey(of: "a")
        let both = try [first, second].map { try [UInt8](Data(contentsOf: URL(filePath: $0))) }
        let inSecond = both[0].count + 30 + part * (both[1].count - 60) / 9

        #expect(try problem((both[0] + both[1]).prefix(inSecond), as: .keys) != "none")
        #expect(try problem((both[0] + both[1]).prefix(inSecond), as: .secret) != "none")
    }

    @Test(arguments: mistaken.prefix(8))
    func whatTakesTheirPlaceWhileTheyAreUsedIsNotTaken(what: String, bytes: [UInt8]) throws {
        let path = try openssl.makeKey("a", "-algorithm", "ed25519")
        let keyring = try Keyring(.keys(path: path))
        let claims = Claims(user: UserName("ann")!, grants: [:], expires: 2e9)
        let token = try #require(claims.signed(with: KeyFile(.keys(path: path)).signingKey()))
        try Data(bytes).write(to: URL(filePath: path))

        #expect(throws: KeyFileError.self) { try keyring.reload() }

        #expect(try keyring.bearer(of: token, at: 0).user == claims.user)
    }
}
