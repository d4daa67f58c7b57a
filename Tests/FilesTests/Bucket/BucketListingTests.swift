import TestSupport
import Testing

@testable import Files

/// What a store answers is read strictly, and nothing of it ends the server.
struct BucketListingTests {
    private static func page(_ contents: String, _ end: String = "<IsTruncated>false</IsTruncated>") -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>chat</Name>\(end)\(contents)</ListBucketResult>

        """
    }

    private static let object =
        "<Contents><Key>%3Dlobby%2Fa+b</Key><LastModified>2013-05-24T00:00:00.000Z</LastModified>"
        + "<ETag>&quot;x&quot;</ETag><Size>7</Size><Owner><ID>1</ID></Owner></Contents>"

    private func listing(_ text: String) -> BucketListing? { BucketListing(Array(text.utf8)) }

    @Test func aPageHasItsObjects() throws {
        let plain = Self.object.replacing("%3Dlobby%2Fa+b", with: "=lobby/a&amp;&#x62;+")
        let end = "<IsTruncated>true</IsTruncated><NextContinuationToken>t&lt;1</NextContinuationToken>"

        let encoded = try #require(listing(Self.page(Self.object + "<EncodingType>url</EncodingType>")))
        let truncated = try #require(listing(Self.page(plain, end)))

        #expect(encoded.objects == [.init(key: "=lobby/a b", size: 7, changed: 1_369_353_600_000)])
        #expect(encoded.next == nil)
        #expect(truncated.objects.map(\.key) == ["=lobby/a&b+"] && truncated.next == "t<1")
        #expect(listing(Self.page(""))?.objects == [])
        #expect(listing(Self.page("<CommonPrefixes/><Prefix></Prefix>"))?.objects == [])
    }

    @Test(arguments: [
        "", " ", "text", "<a>", "<a></b>", "<a/><a/>", "<a>&nbsp;</a>", "<a>&#xD800;</a>", "<a>&#99999999999;</a>",
        "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<a><!-- --></a>", "<a><![CDATA[b]]></a>", "<a><b></a></b>", "<",
        "<?xml", "<a", "</a>", "<a><", "<a>&", "< a></ a>", "<a><b", "<a <b></a>",
        String(repeating: "<a>", count: 100_000),
    ])
    func whatIsNotWellFormedIsNoDocument(text: String) {
        #expect(XMLElement(document: Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        "<Error><Code>SlowDown</Code></Error>", "<ListBucketResult/>", page("", "<IsTruncated>yes</IsTruncated>"),
        page("", "<IsTruncated>true</IsTruncated>"), page(object.replacing("7", with: "-7")),
        page(object.replacing("7", with: "99999999999999999999")), page(object.replacing("2013", with: "soon")),
        page(object.replacing("Key>", with: "Name>")),
        page(object.replacing("%3D", with: "%3") + "<EncodingType>url</EncodingType>"),
        page(object.replacing("%3D", with: "%FF") + "<EncodingType>url</EncodingType>"),
    ])
    func anotherDocumentIsNoPage(text: String) {
        #expect(listing(text) == nil)
    }

    /// Whatever bytes come in the place of others, reading them ends.
    @Test(arguments: UInt64(0)..<300)
    func damagedPagesAreRead(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var bytes = Array(Self.page(Self.object + Self.object + "<EncodingType>url</EncodingType>").utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let index = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
            case 1: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...9, using: &random)))
            default: bytes.insert(contentsOf: Array("<&>/\"".utf8).shuffled(using: &random).prefix(2), at: index)
            }
        }

        let page = BucketListing(bytes)

        #expect((page?.objects.count ?? 0) <= 2)
    }
}
