/// The place of files in an S3-compatible store.
///
/// ```swift
/// try BucketPlace("s3://chat/files", endpoint: nil, region: "eu-central-1")  // at s3.eu-central-1.amazonaws.com
/// ```
package struct BucketPlace: Equatable, Sendable, CustomStringConvertible {
    package static let scheme = "s3://"

    package let bucket: String
    /// The beginning of all keys, without a slash at its ends; empty for none.
    package let prefix: String
    /// The scheme and authority of the store, such as `https://s3.example:9000`.
    package let origin: String
    package let region: String

    /// The part of a place that is wrong, and what would be right.
    package enum Fault: Error, Equatable {
        case place(String)
        case endpoint(String)
        case region(String)
    }

    package init(_ text: String, endpoint: String?, region: String) throws(Fault) {
        guard let match = text.wholeMatch(of: /s3:\/\/([a-z0-9][a-z0-9.\-]{1,61}[a-z0-9])(\/.*)?/) else {
            throw .place(
                "must be s3://BUCKET or s3://BUCKET/PREFIX, as s3://chat/files, with a bucket of 3 to 63 of a-z 0-9 . -"
            )
        }
        let segments = (match.2 ?? "").split(separator: "/")
        guard segments.allSatisfy(Self.isSegment) else {
            throw .place("must have a prefix of names with A-Z a-z 0-9 . _ -, with slashes in between")
        }
        guard region.wholeMatch(of: /[a-z0-9\-]{1,32}/) != nil else {
            throw .region("must be the name of a region, such as eu-central-1")
        }
        (bucket, prefix, self.region) = (String(match.1), segments.joined(separator: "/"), region)
        origin = try Self.origin(endpoint ?? "https://s3.\(region).amazonaws.com")
    }

    private static func isSegment(_ text: Substring) -> Bool {
        text.wholeMatch(of: /[A-Za-z0-9_\-.]+/) != nil && text.contains { $0 != "." }
    }

    private static func origin(_ text: String) throws(Fault) -> String {
        let form = /(https?):\/\/([a-z0-9.\-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?\/?/
        guard let match = text.lowercased().wholeMatch(of: form), let port = UInt16(match.3 ?? "0")
        else { throw .endpoint("must be the address of the store without a path, such as https://s3.example:9000") }
        // curl and browsers leave the scheme's own port out of the header that is signed.
        let isUsual = port == 0 || port == (match.1 == "https" ? 443 : 80)
        return "\(match.1)://\(match.2)\(isUsual ? "" : ":\(port)")"
    }

    package var description: String { prefix.isEmpty ? "s3://\(bucket)" : "s3://\(bucket)/\(prefix)" }

    /// The beginning of the keys of all files.
    var rooms: String { prefix.isEmpty ? "rooms/" : "\(prefix)/rooms/" }
}
