internal import CChatSocket

/// A peer as it opens a WebSocket. Only ``address`` is certain; the peer can send anything in the other fields.
package struct Peer: Equatable, Sendable {
    /// The numeric address. IPv4 addresses are always in their own form.
    package var address: String
    package var path: String
    /// The part of the target after the question mark.
    package var query: String?
    package var origin: String?
    package var authorization: String?
    /// The subprotocol agreed on; `nil` when the peer asked for none.
    package var subprotocol: String?
    /// The `X-Forwarded-For` headers, joined by commas. Trust them only behind a proxy of your own.
    package var forwardedFor: String?

    /// Returns the value of a parameter of ``query``.
    package func parameter(_ name: String) -> String? {
        query?.split(separator: "&").first { $0.hasPrefix(name + "=") }
            .map { String($0.dropFirst(name.count + 1)) }
    }

    init(_ raw: chatsock_peer) {
        address = String(cString: raw.address)
        path = String(cString: raw.path)
        query = string(raw.query)
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
