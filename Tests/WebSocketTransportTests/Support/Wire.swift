import TestSupport
import WebSocketTransport

/// The two ways to reach a server.
enum Wire: CaseIterable {
    case plain, tls

    /// One for all: making keys takes time.
    private static let shared = Result {
        let authority = try TestAuthority()
        return (authority, try authority.certificate("kept"))
    }

    static var certificate: Certificate {
        get throws { try shared.get().1 }
    }
}

func serve(_ wire: Wire, _ change: (inout WebSocketServerConfiguration) -> Void = { _ in }) throws -> TestServer {
    let certificate = wire == .tls ? try Wire.certificate : nil
    return try TestServer {
        $0.certificate = certificate
        change(&$0)
    }
}

func connect(_ server: TestServer, _ wire: Wire, receiveBuffer: Int32? = nil) throws -> RawPeer {
    let peer = try RawPeer(port: server.server.port, receiveBuffer: receiveBuffer)
    if wire == .tls { try peer.startTLS() }
    return peer
}
