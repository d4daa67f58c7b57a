internal import CSignature

/// A bearer secret: the only line of a file, which can be read again while it is in use.
///
/// - Shape: 32 to 1024 visible ASCII characters, so that it fits a header. White space around them does not count.
package final class SecretFile: Sendable {
    private let file: ReloadableFile<[UInt8]>

    /// - Errors: the fault of the file, and its remedy.
    package init(path: String) throws(KeyFileError) {
        file = try ReloadableFile(path: path, Self.read)
    }

    /// Reads the file again. If that fails, the secret stays as it is.
    package func reload() throws(KeyFileError) {
        try file.reload()
    }

    /// Returns whether an `Authorization` header carries the secret as a bearer token.
    ///
    /// The comparison takes the same time for every wrong value of the right length, wherever it differs.
    ///
    /// - Source: RFC 6750, section 2.1.
    package func isShown(by authorization: String?) -> Bool {
        let words = authorization?.split(separator: " ") ?? []
        guard words.count == 2, words[0].lowercased() == "bearer" else { return false }
        let (shown, secret) = (Array(words[1].utf8), file.latest)
        return shown.count == secret.count && csignature_is_same(shown, secret, secret.count)
    }

    private static let lengths = 32...1_024

    @Sendable
    private static func read(_ path: String) throws(KeyFileError) -> [UInt8] {
        let bytes = try readBytes(of: path)
        let isBlank = { (byte: UInt8) in [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
        let line = Array(bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
        guard lengths.contains(line.count), line.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw KeyFileError(
                path: path,
                problem: "must hold one line of \(lengths.lowerBound) to \(lengths.upperBound) visible ASCII "
                    + "characters: make it by openssl rand -hex 32")
        }
        return line
    }
}
