import Testing

@testable import Files

struct BucketPlaceTests {
    @Test(arguments: [
        ("s3://chat", nil, "https://s3.eu-central-1.amazonaws.com", "rooms/"),
        ("s3://chat/", "http://127.0.0.1:9000/", "http://127.0.0.1:9000", "rooms/"),
        ("s3://my.chat/a/b_c/", "HTTPS://S3.Example:443", "https://s3.example", "a/b_c/rooms/"),
        ("s3://chat/files", "http://[::1]:80", "http://[::1]", "files/rooms/"),
    ])
    func aPlaceHasItsAddress(text: String, endpoint: String?, origin: String, rooms: String) throws {
        let place = try BucketPlace(text, endpoint: endpoint, region: "eu-central-1")

        #expect((place.origin, place.rooms) == (origin, rooms))
    }

    @Test(arguments: [
        "s3://", "s3:///a", "s3://a", "s3://Chat", "s3://chat/a b", "s3://chat/../a", "s3://chat/ä", "/chat",
        "S3://chat",
    ])
    func anythingElseIsNoPlace(text: String) {
        #expect(throws: BucketPlace.Fault.self) { try BucketPlace(text, endpoint: nil, region: "r") }
    }

    @Test(arguments: [
        "", "s3.example", "ftp://s3.example", "http://", "http://s3.example/a", "http://s3.example:99999",
        "http://u:p@s3.example", "http://s3.example?a", "http://s3 example",
    ])
    func anythingElseIsNoEndpoint(text: String) {
        #expect(throws: BucketPlace.Fault.self) { try BucketPlace("s3://chat", endpoint: text, region: "r") }
    }
}
