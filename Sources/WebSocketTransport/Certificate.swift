internal import CChatSocket

/// The paths of a certificate and its key, both PEM files.
package struct Certificate: Equatable, Sendable {
    /// The server's own certificate first, then those of its authorities.
    package var chain: String
    /// The key, without a password.
    package var key: String

    package init(chain: String, key: String) {
        self.chain = chain
        self.key = key
    }

    /// Checks that both files can be read and belong together.
    ///
    /// - Throws: ``TransportError/badCertificate(_:)``.
    package func check() throws(TransportError) {
        try explained { chatsock_certificate_is_usable(chain, key, $0, $1) }
    }
}

extension WebSocketServer {
    /// Reads the certificate's files again, for new connections. Open connections stay.
    ///
    /// - Throws: ``TransportError/badCertificate(_:)``; the previous certificate stays in use.
    package func reloadCertificate() throws(TransportError) {
        try explained { chatsock_reload_certificate(raw, $0, $1) }
    }
}

/// Calls a C function that writes the reason into a buffer when it fails.
private func explained(
    _ call: (UnsafeMutablePointer<CChar>, Int) -> Bool
) throws(TransportError) {
    var why = [CChar](repeating: 0, count: 512)
    let succeeded = why.withUnsafeMutableBufferPointer { call($0.baseAddress!, $0.count) }
    if !succeeded {
        throw .badCertificate(String(decoding: why.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
}
