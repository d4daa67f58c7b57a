import Testing
import Tokens

@testable import Files

/// The examples of Amazon's documentation of Signature Version 4, and of the requests of S3.
struct RequestSignerTests {
    private let signer = RequestSigner(
        key: AccessKey(id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        region: "us-east-1")
    /// 2013-05-24T00:00:00Z.
    private static let time = 1_369_353_600_000 as Int64
    private static let empty = SHA256.hash([]).hexadecimal

    private struct Example {
        let method: String
        let path: String
        var query: [(name: String, value: String)] = []
        var headers: [(name: String, value: String)] = []
        var body = ""
        let signature: String
    }

    private static let examples = [
        Example(
            method: "GET", path: "/test.txt", headers: [("range", "bytes=0-9")],
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Example(
            method: "PUT", path: "/test$file.text",
            headers: [("date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
            body: "Welcome to Amazon S3.",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Example(
            method: "GET", path: "/", query: [("lifecycle", "")],
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Example(
            method: "GET", path: "/", query: [("prefix", "J"), ("max-keys", "2")],
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test(arguments: examples.indices)
    func aSignatureIsThatOfTheExample(index: Int) {
        let (example, moment) = (Self.examples[index], Moment(Self.time))
        let payload = SHA256.hash(Array(example.body.utf8)).hexadecimal
        let host = "examplebucket.s3.amazonaws.com"
        let request = RequestSigner.Request(
            method: example.method, origin: "https://\(host)", path: example.path, query: example.query,
            headers: example.headers + [
                ("host", host), ("x-amz-content-sha256", payload), ("x-amz-date", moment.second),
            ])

        #expect(signer.signature(request, payload: payload, at: moment) == example.signature)
    }

    @Test func anAddressIsThatOfTheExample() {
        let request = RequestSigner.Request(
            method: "GET", origin: "https://examplebucket.s3.amazonaws.com", path: "/test.txt")

        let url = signer.url(request, at: Self.time, for: 86_400)

        #expect(
            url == "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
    }

    /// RFC 4231, test cases 1, 2 and 6: keys of 20 bytes, of 4, and of 131.
    @Test func aCodeIsThatOfTheTestCase() {
        let cases: [(key: [UInt8], text: String, code: String)] = [
            (
                Array(repeating: 0x0B, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                Array(repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ]
        for (key, text, code) in cases {
            #expect(SHA256.authenticationCode(Array(text.utf8), key: key).hexadecimal == code)
        }
    }

    @Test(arguments: [
        ("19700101T000000Z", 0), ("20000229T235959Z", 951_868_799), ("20130524T000000Z", 1_369_353_600),
        ("21000301T000000Z", 4_107_542_400), ("20241231T120001Z", 1_735_646_401),
    ])
    func aMomentIsThatOfTheCalendar(text: String, seconds: Int64) throws {
        #expect(Moment(seconds * 1_000 + 999).second == text)
        let parts = try #require(text.wholeMatch(of: /(....)(..)(..)T(..)(..)(..)Z/)).output
        let long = "\(parts.1)-\(parts.2)-\(parts.3)T\(parts.4):\(parts.5):\(parts.6).000Z"
        #expect(Moment.time(long) == seconds * 1_000)
    }

    @Test(arguments: ["", "2013-05-24", "2013-13-24T00:00:00Z", "x2013-05-24T00:00:00Z", "2013-05-24T00:00:00+01:00"])
    func anythingElseIsNoMoment(text: String) {
        #expect(Moment.time(text) == nil)
    }
}
