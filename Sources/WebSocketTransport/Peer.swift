internal import CChatSocket

/// What a peer said of itself when it opened a WebSocket. Only ``address`` is a fact; the rest is its word.
package struct Peer: Equatable, Sendable {
    /// Numeric; IPv4 addresses always in their own form.
    package var address: String
    package var path: String
    package var origin: String?
    package var authorization: String?
    /// As agreed upon; `nil` when the peer asked for none.
    package var subprotocol: String?
    /// `X-Forwarded-For`, several of them joined by commas. Believe it only behind a proxy of one's own.
    package var forwardedFor: String?

    init(_ raw: chatsock_peer) {
        address = String(cString: raw.address)
        path = String(cString: raw.path)
        origin = string(raw.origin)
        authorization = string(raw.authorization)
        subprotocol = string(raw.subprotocol)
        forwardedFor = string(raw.forwarded_for)
    }
}

/// The text at a C string, or `nil` when there is none.
func string(_ raw: UnsafePointer<CChar>?) -> String? {
    raw.map { String(cString: $0) }
}
