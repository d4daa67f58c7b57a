import Foundation
import TestSupport
import Testing
import Tokens

struct KeyFileTests {
    private let folder = TemporaryFolder()
    private var openssl: OpenSSLCommand { OpenSSLCommand(folder: folder) }

    private func problem(_ bytes: some Sequence<UInt8>) throws -> String {
        let path = folder.file("keys")
        try Data(bytes).write(to: URL(filePath: path))
        return try problem(at: path)
    }

    private func problem(at path: String) throws -> String {
        do throws(KeyFileError) {
            _ = try KeyFile(path: path)
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

        let keys = try KeyFile(path: path).keys

        #expect(keys.map(\.algorithm) == [.edDSA, .es256])
        #expect(keys.map(\.isPrivate) == [true, false])
        #expect(try KeyFile(path: second).keys.map(\.isPrivate) == [true])
    }

    @Test func theCurveThatSomeToolsWriteInFrontOfAKeyIsPassedOver() throws {
        let path = folder.file("key.pem")
        try openssl("ecparam", "-name", "prime256v1", "-genkey", "-out", path)

        #expect(try KeyFile(path: path).keys.map(\.algorithm) == [.es256])
    }

    @Test func aSecretIsTheBytesOfTheFile() throws {
        #expect(try problem([UInt8](repeating: 0x0A, count: 31) + [0xFF]) == "none")
        #expect(try problem([UInt8](repeating: 0xFF, count: 31) + [0x0A]) == "none")
    }

    @Test func aSecretThatIsALineOfTextIsRefusedAsToolsDifferAboutItsEnd() throws {
        let line = String(repeating: "a", count: 44)

        #expect(try problem(Array("\(line)\n".utf8)).hasPrefix("secret: ends in a line end"))
        #expect(try problem(Array(line.utf8)) == "none")
    }

    @Test func aSecretBelow32BytesIsRefused() throws {
        #expect(
            try problem([UInt8](repeating: 0x80, count: 31)) == "is too weak: 31 bytes, must be at least 32")
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
        #expect(try problem(Array(text.utf8)).contains(expected))
    }
}
