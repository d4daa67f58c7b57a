import ChatRoom
import ChatWire
import Foundation
import Testing
import Tokens

/// Tokens by PyJWT, and faulty ones made by hand, as `Golden/make.py` describes.
struct GoldenTokenTests {
    private struct Golden: Decodable {
        let now: Milliseconds
        let cases: [Case]
    }

    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let title: String
        let token: String
        let file: String
        /// The user's name, or the reason why there is none.
        let outcome: String
        let issuer: String?
        let audience: String?

        var testDescription: String { title }
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    private static func source(_ file: String) -> KeySource {
        let path = folder.appending(path: file).path
        return file == "secret" ? .secret(path: path) : .keys(path: path)
    }

    private static let golden: Golden = {
        let data = try! Data(contentsOf: folder.appending(path: "tokens.json"))
        return try! JSONDecoder().decode(Golden.self, from: data)
    }()

    @Test(arguments: golden.cases)
    func aTokenIsWorthWhatItIs(example: Case) throws {
        var rules = TokenRules()
        rules.issuer = example.issuer
        rules.audience = example.audience
        let keyring = try Keyring(Self.source(example.file), rules: rules)

        let outcome: String
        do throws(TokenError) {
            outcome = try keyring.bearer(of: example.token, at: Self.golden.now).user.description
        } catch {
            outcome = error.word
        }

        #expect(outcome == example.outcome)
    }

    @Test func aTokenSaysWhoItsBearerIsWhatIsGrantedAndUntilWhen() throws {
        let example = try #require(Self.golden.cases.first)
        let keyring = try Keyring(Self.source(example.file))

        let bearer = try keyring.bearer(of: example.token, at: Self.golden.now)

        let grants = Grants([try #require(RoomPattern("lobby")): .write, try #require(RoomPattern("team-*")): .read])
        #expect(bearer.user == UserName("ann"))
        #expect(bearer.grants == grants)
        #expect(bearer.expires == Self.golden.now + 3_600_000 + 60_000)
    }

    @Test func ofASetWhatCannotBeUsedIsPassedOverAndNamed() throws {
        let keyring = try Keyring(Self.source("set.json"))

        #expect(keyring.count == 4)
        #expect(keyring.passedOver.count == 5)
        #expect(keyring.passedOver.first == "key '512': alg: is 'RS512', and this kind of key is for RS256")
    }
}

extension TokenError {
    fileprivate var word: String {
        switch self {
        case .malformed: "malformed"
        case .noKey: "noKey"
        case .wrongSignature: "wrongSignature"
        case .claim(let name, _): name
        case .expired: "expired"
        case .notYet: "notYet"
        }
    }
}
