/// A status of HTTP with which a server answers a WebSocket's handshake.
enum HandshakeStatus {
    /// Returns what was wrong and what would be right; `nil` where the status does not tell.
    static func meaning(_ status: UInt32) -> String? {
        switch status {
        case 0, 101: nil
        case 400:
            "the server refused the handshake: one with TLS has an address with wss://, "
                + "and one of another version wants another client"
        case 401, 407: "a proxy before the server wants a password: ask for an address that needs none"
        case 403:
            "the server refuses this address: one without keys is addressed as localhost or 127.0.0.1, "
                + "and a proxy before it may allow less"
        case 404: "there is no WebSocket at this path: a chat server has it at /ws"
        case 426: "the server speaks another version of WebSocket: it wants another client"
        case 414, 431: "the address is too long for the server"
        case 429: "the server refuses this machine for now: it has too many connections, or makes them too fast"
        case 502, 504: "a proxy answers that it cannot reach the server: is that running?"
        case 503: "the server is full, or about to end"
        case 500...599: "the server failed, or a proxy before it"
        default: "no chat server answers there: is the address right?"
        }
    }
}
