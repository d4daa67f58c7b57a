internal import CChatSocket

/// A certificate and its key: paths of PEM files.
package struct Certificate: Equatable, Sendable {
    /// The server's own first, then those that vouch for it.
    package var chain: String
    /// Without a password.
    package var key: String

    package init(chain: String, key: String) {
        self.chain = chain
        self.key = key
    }

    /// Whether both files are there and belong together.
    ///
    /// - Throws: ``TransportError/badCertificate(_:)``.
    package func check() throws(TransportError) {
        try explained { chatsock_certificate_is_usable(chain, key, $0, $1) }
    }
}

extension WebSocketServer {
    /// Reads the certificate's files again, for whoever connects from now on. Nobody is dropped.
    ///
    /// - Throws: ``TransportError/badCertificate(_:)``; the last one stays in use.
    package func reloadCertificate() throws(TransportError) {
        try explained { chatsock_reload_certificate(raw, $0, $1) }
    }
}

/// Calls a C function that says why when it fails.
private func explained(
    _ call: (UnsafeMutablePointer<CChar>, Int) -> Bool
) throws(TransportError) {
    var why = [CChar](repeating: 0, count: 512)
    let succeeded = why.withUnsafeMutableBufferPointer { call($0.baseAddress!, $0.count) }
    if !succeeded {
        throw .badCertificate(String(decoding: why.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
}
