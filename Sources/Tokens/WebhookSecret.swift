import FoundationEssentials

/// The secret that signs webhook posts, from a file that can be read again while it is in use.
///
/// - Shape: `whsec_` and at least 32 bytes in base64.
/// - Source: "Standard Webhooks", version 1.0.0, standardwebhooks.com.
package final class WebhookSecret: Sendable {
    private let file: ReloadableFile<Key>

    /// - Errors: the fault of the file, and its remedy.
    package init(path: String) throws(KeyFileError) {
        file = try ReloadableFile(path: path, Self.read)
    }

    /// Reads the file again. If that fails, the secret stays as it is.
    package func reload() throws(KeyFileError) {
        try file.reload()
    }

    /// Returns the headers of a post.
    ///
    /// - Parameters:
    ///   - id: the same for each attempt; without a full stop.
    ///   - time: in seconds since 1970.
    package func headers(_ body: [UInt8], id: String, time: Int64) -> [(name: String, value: String)] {
        guard let signature = file.latest.signature(of: Array("\(id).\(time).".utf8) + body) else {
            preconditionFailure("a secret that does not sign")
        }
        return [
            ("content-type", "application/json"), ("webhook-id", id), ("webhook-timestamp", "\(time)"),
            ("webhook-signature", "v1,\(Data(signature).base64EncodedString())"),
        ]
    }

    private static let prefix = "whsec_"

    @Sendable
    private static func read(_ path: String) throws(KeyFileError) -> Key {
        let text = String(decoding: try readBytes(of: path), as: UTF8.self).filter { !$0.isWhitespace }
        guard text.hasPrefix(prefix), let bytes = Data(base64Encoded: String(text.dropFirst(prefix.count))),
            let key = try? Key(secret: [UInt8](bytes))
        else {
            throw KeyFileError(
                path: path,
                problem: "must hold whsec_ and at least 32 bytes in base64: make it by "
                    + "echo whsec_$(openssl rand -base64 32)")
        }
        return key
    }
}
