import ChatWire
import Foundation
import HTTPClient
import Locking
import Tokens

/// A bucket of an S3-compatible store: its objects by their keys.
///
/// All functions that may throw wait for the network, and may be called from any thread.
struct Bucket: Sendable {
    let place: BucketPlace
    private let signer: RequestSigner
    private let requester = HTTPRequester(seconds: Self.patience, longestBody: 8 << 20)
    private let outage = Outage()

    /// The seconds for a request.
    private static let patience = 10
    /// The seconds for which the address of a request of this server works: clocks may differ.
    private static let lifetime = 900

    init(_ place: BucketPlace, _ key: AccessKey) {
        (self.place, signer) = (place, RequestSigner(key: key, region: place.region))
    }

    /// The object of a key, without its bytes.
    struct Description: Equatable {
        let size: Int
        /// The SHA-256 of the bytes as hexadecimal digits; `nil` if the store gives none.
        let sha256: String?
        /// The metadata by their names, decoded.
        let values: [String: String]
    }

    // MARK: - Addresses for clients

    /// The address for the upload of an object.
    ///
    /// - Parameter headers: those that the client must send, besides `content-length`.
    func uploadURL(
        _ key: String, size: Int, headers: [String: String], at time: Milliseconds, for seconds: Int
    ) -> String {
        var request = request("PUT", key)
        request.headers = headers.map { ($0.key, $0.value) } + [("content-length", "\(size)")]
        return signer.url(request, at: time, for: seconds)
    }

    /// The address for the download of an object, which then comes with these headers.
    func downloadURL(
        _ key: String, headers: [(name: String, value: String)], at time: Milliseconds, for seconds: Int
    ) -> String {
        var request = request("GET", key)
        request.query = headers.map { ("response-\($0.name)", $0.value) }
        return signer.url(request, at: time, for: seconds)
    }

    // MARK: - Requests

    /// Returns `nil` if there is no such object.
    func describe(_ key: String) throws(FileFault) -> Description? {
        var request = request("HEAD", key)
        request.headers = [("x-amz-checksum-mode", "ENABLED")]
        let answer = try perform(request, .head)
        guard answer.status != 404 else { return nil }
        try require(answer, 200, "describe", key)
        guard let size = answer.headers["content-length"].flatMap({ Int($0) }) else {
            throw FileFault("\(place): the store gives no size of \(key)")
        }
        let meta = "x-amz-meta-"
        let values = answer.headers.compactMap { name, value in
            name.hasPrefix(meta) ? value.percentDecoded.map { (String(name.dropFirst(meta.count)), $0) } : nil
        }
        return Description(
            size: size, sha256: answer.headers["x-amz-checksum-sha256"].flatMap(Self.digits),
            values: Dictionary(values, uniquingKeysWith: { $1 }))
    }

    /// Makes an empty object.
    func mark(_ key: String) throws(FileFault) {
        try require(try perform(request("PUT", key), .put), 200, "make", key)
    }

    /// Removes an object, if there is one.
    func remove(_ key: String) throws(FileFault) {
        let answer = try perform(request("DELETE", key), .delete)
        if answer.status != 404 { try require(answer, 204, "remove", key) }
    }

    /// Visits all objects whose keys begin with a text, in the order of the keys' bytes.
    func visit(
        _ beginning: String, _ visit: (BucketListing.Object) throws(FileFault) -> Void
    ) throws(FileFault) {
        var next: String?
        repeat {
            var request = request("GET", nil)
            request.query = [("list-type", "2"), ("encoding-type", "url"), ("prefix", beginning)]
            if let next { request.query.append(("continuation-token", next)) }
            let answer = try perform(request, .get)
            try require(answer, 200, "list", beginning)
            guard let page = BucketListing(answer.body), page.next == nil || page.next != next else {
                throw FileFault("\(place): the store's list of objects cannot be read")
            }
            for object in page.objects { try visit(object) }
            next = page.next
        } while next != nil
    }

    private func request(_ method: String, _ key: String?) -> RequestSigner.Request {
        RequestSigner.Request(
            method: method, origin: place.origin, path: "/\(place.bucket)\(key.map { "/\($0)" } ?? "")")
    }

    private func perform(
        _ request: RequestSigner.Request, _ method: HTTPRequester.Method
    ) throws(FileFault) -> HTTPRequester.Answer {
        if let why = outage.reason { throw FileFault(why) }
        let url = signer.url(request, at: .present, for: Self.lifetime)
        switch requester.perform(.init(method, url, headers: request.headers)) {
        case .answered(let answer): return answer
        case .failed(let why):
            let text =
                "\(place): \(place.origin) does not answer (\(why)): see that it runs, and that --files-endpoint "
                + "is right"
            outage.begin(text)
            throw FileFault(text)
        }
    }

    private func require(
        _ answer: HTTPRequester.Answer, _ status: Int, _ verb: String, _ key: String
    ) throws(FileFault) {
        guard answer.status != status else { return }
        let code = XMLElement(document: answer.body)?["Code"].map { " \($0.text)" } ?? ""
        let step =
            switch answer.status {
            case 301, 307, 400: ": see that --files-region is the bucket's"
            case 403: ": see that the key of --files-credentials may read, write, list and delete there"
            case 404: ": see that there is such a bucket"
            default: ""
            }
        throw FileFault("\(place): cannot \(verb) \(key): the store answers \(answer.status)\(code)\(step)")
    }

    private static func digits(_ base64: String) -> String? { Data(base64Encoded: base64)?.hexadecimal }
}

/// The clock of a store's outage: for a moment after a request without an answer, the others fail at once, so that they do not
/// all wait for their deadlines.
private final class Outage: Sendable {
    private let last = Guarded<(since: ContinuousClock.Instant, why: String)?>(nil)

    private static let pause = Duration.seconds(2)

    var reason: String? { last.withLock { $0.flatMap { .now - $0.since < Self.pause ? $0.why : nil } } }

    func begin(_ why: String) { last.withLock { $0 = (.now, why) } }
}

extension Milliseconds {
    /// The time of day.
    static var present: Milliseconds { Milliseconds(Date.now.timeIntervalSince1970 * 1_000) }
}
