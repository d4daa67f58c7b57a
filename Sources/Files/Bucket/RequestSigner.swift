import ChatWire
import Tokens

/// Signs requests to an S3-compatible store: Amazon's Signature Version 4.
///
/// ```swift
/// let signer = RequestSigner(key: key, region: "eu-central-1")
/// let url = signer.url(request, at: time, for: 900)  // works for 15 minutes, for all who have it
/// ```
///
/// - Source: Amazon S3 API Reference, "Authenticating Requests (AWS Signature Version 4)".
struct RequestSigner: Sendable {
    let key: AccessKey
    let region: String

    /// The parts of a request that its signature covers.
    struct Request {
        var method: String
        /// The scheme and the authority, such as `https://s3.example:9000`.
        var origin: String
        /// Not percent-encoded.
        var path: String
        var query: [(name: String, value: String)] = []
        /// The headers that the request must have, with names in lower case; without `host`.
        var headers: [(name: String, value: String)] = []
    }

    /// The address of a request.
    ///
    /// - Parameters:
    ///   - time: the time of day from which the address works.
    ///   - seconds: for how long from then, at most a week.
    func url(_ request: Request, at time: Milliseconds, for seconds: Int) -> String {
        let moment = Moment(time)
        var signed = request
        signed.headers.append(("host", Self.host(request.origin)))
        let names = signed.headers.map(\.name).sorted().joined(separator: ";")
        signed.query += [
            ("X-Amz-Algorithm", Self.algorithm), ("X-Amz-Credential", "\(key.id)/\(scope(moment))"),
            ("X-Amz-Date", moment.second), ("X-Amz-Expires", "\(seconds)"), ("X-Amz-SignedHeaders", names),
        ]
        let signature = signature(signed, payload: "UNSIGNED-PAYLOAD", at: moment)
        return "\(request.origin)\(request.path.percentEncodedPath)?\(Self.canonical(signed.query))"
            + "&X-Amz-Signature=\(signature)"
    }

    /// The signature of a request that has its `host` among its headers.
    ///
    /// - Parameter payload: the SHA-256 of the body in hexadecimal digits, or what stands for it.
    func signature(_ request: Request, payload: String, at moment: Moment) -> String {
        let headers = request.headers.sorted { $0.name < $1.name }
        let canonical = [
            request.method, request.path.percentEncodedPath, Self.canonical(request.query),
            headers.map { "\($0.name):\($0.value)\n" }.joined(), headers.map(\.name).joined(separator: ";"), payload,
        ].joined(separator: "\n")
        let text = [
            Self.algorithm, moment.second, scope(moment), SHA256.hash(Array(canonical.utf8)).hexadecimal,
        ].joined(separator: "\n")
        return SHA256.authenticationCode(Array(text.utf8), key: signingKey(moment)).hexadecimal
    }

    private static let algorithm = "AWS4-HMAC-SHA256"

    private func scope(_ moment: Moment) -> String { "\(moment.day)/\(region)/s3/aws4_request" }

    private func signingKey(_ moment: Moment) -> [UInt8] {
        [moment.day, region, "s3", "aws4_request"].reduce(Array("AWS4\(key.secret)".utf8)) { key, part in
            SHA256.authenticationCode(Array(part.utf8), key: key)
        }
    }

    private static func canonical(_ query: [(name: String, value: String)]) -> String {
        query.map { (name: $0.name.percentEncoded, value: $0.value.percentEncoded) }
            .sorted { ($0.name, $0.value) < ($1.name, $1.value) }
            .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    private static func host(_ origin: String) -> String { String(origin.drop { $0 != "/" }.drop { $0 == "/" }) }
}

/// A time of day, as the requests and answers of a store write it.
struct Moment: Equatable {
    /// Such as `20130524T000000Z`.
    let second: String

    /// Such as `20130524`.
    var day: String { String(second.prefix(8)) }

    init(_ time: Milliseconds) {
        let seconds = time / 1_000
        let (day, rest) = (Int(seconds / 86_400), Int(seconds % 86_400))
        let (year, month, date) = Self.date(ofDay: day)
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
        second = "\(year)\(two(month))\(two(date))T\(two(rest / 3_600))\(two(rest / 60 % 60))\(two(rest % 60))Z"
    }

    /// The date of a day since 1970.
    ///
    /// - Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
    private static func date(ofDay day: Int) -> (year: Int, month: Int, date: Int) {
        let shifted = day + 719_468
        let (era, ofEra) = (shifted / 146_097, shifted % 146_097)
        let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let dayOfYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let march = (5 * dayOfYear + 2) / 153
        let month = march < 10 ? march + 3 : march - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * march + 2) / 5 + 1)
    }

    /// The time of a text like `2013-05-24T00:00:00.000Z`; `nil` for any other form.
    static func time(_ text: String) -> Milliseconds? {
        guard let match = text.wholeMatch(of: /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?Z/),
            let year = Int(match.1), let month = Int(match.2), let date = Int(match.3), let hour = Int(match.4),
            let minute = Int(match.5), let second = Int(match.6),
            year >= 1_970, (1...12).contains(month), (1...31).contains(date)
        else { return nil }
        let march = month > 2 ? month - 3 : month + 9
        let shifted = month > 2 ? year : year - 1
        let (era, yearOfEra) = (shifted / 400, shifted % 400)
        let ofEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * march + 2) / 5 + date - 1
        let day = era * 146_097 + ofEra - 719_468
        return Milliseconds(day * 86_400 + hour * 3_600 + minute * 60 + second) * 1_000
    }
}
