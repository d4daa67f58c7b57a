internal import CSignature

/// Signs what a server hands to clients and takes back from them: nobody else can make it or change it.
///
/// ```swift
/// let ticket = signer.ticket(Array(#"{"room":"lobby"}"#.utf8))  // eyJyb29tIjoibG9iYnkifQ.5f…
/// signer.claims(of: ticket)                                     // {"room":"lobby"}
/// ```
///
/// - Source: RFC 2104 (HMAC), with SHA-256; RFC 4648, base64url without padding.
package struct Signer: Sendable {
    private let key: Key

    /// - Precondition: at least 32 bytes.
    package init(secret: [UInt8]) {
        guard let key = try? Key(secret: secret) else { preconditionFailure("a secret of \(secret.count) bytes") }
        self.key = key
    }

    /// The signature of a text, in 43 characters.
    package func signature(of text: some Sequence<UInt8>) -> String {
        guard let signature = key.signature(of: Array(text)) else { preconditionFailure("a secret that does not sign") }
        return String(decoding: Base64URL.encoded(signature), as: UTF8.self)
    }

    /// Returns whether a signature is that of the text, in a time that does not tell where it differs.
    package func isSignature(_ signature: some Sequence<UInt8>, of text: some Sequence<UInt8>) -> Bool {
        guard let bytes = Base64URL.decoded(signature) else { return false }
        return key.verifies(bytes, of: Array(text))
    }

    /// Returns claims together with their signature, in characters that need no escape in a URL.
    package func ticket(_ claims: [UInt8]) -> String {
        let text = Base64URL.encoded(claims)
        return String(decoding: text, as: UTF8.self) + "." + signature(of: text)
    }

    /// The claims of a ticket; `nil` for one that this signer has not made.
    package func claims(of ticket: some StringProtocol) -> [UInt8]? {
        let parts = ticket.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, isSignature(parts[1], of: parts[0]) else { return nil }
        return Base64URL.decoded(parts[0])
    }

    /// The SHA-256 of a file from its beginning to its end, in hexadecimal digits; `nil` if it cannot be read. Takes 64 kB of
    /// memory.
    ///
    /// - Complexity: O(bytes).
    package static func sha256(ofFile descriptor: Int32) -> String? {
        var hash = [UInt8](repeating: 0, count: Int(CSIGNATURE_SHA256_BYTES))
        guard csignature_sha256_file(descriptor, &hash) else { return nil }
        return hash.hexadecimal
    }
}
