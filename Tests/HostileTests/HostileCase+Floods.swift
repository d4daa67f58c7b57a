import TestSupport

extension HostileCase {
    /// Much of something, or almost nothing of it for long.
    static let floods: [HostileCase] = [
        HostileCase("100,000 pings that nobody reads the answers of", "welcome") { server in
            let peer = try server.open()
            let pings = (0..<1_000).flatMap { _ in RawPeer.frame(0x89, [UInt8](repeating: 0, count: 100)) }
            for _ in 0..<100 where !peer.write(pings) { break }
            return try server.greets(peer)
        },
        HostileCase("100,000 empty messages", "4501") { server in
            let peer = try server.member()
            let nothing = (0..<1_000).flatMap { _ in RawPeer.frame(0x81, []) }
            for _ in 0..<100 where !peer.write(nothing) { break }
            return try peer.ending()
        },
        HostileCase("20,000 commands whose answers nobody reads", "survives") { server in
            let peer = try server.member(receiveBuffer: 4_096)
            let command = RawPeer.frame(0x81, Array(#"{"type": "ping", "ref": 1}"#.utf8))
            let commands = (0..<500).flatMap { _ in command }
            for _ in 0..<40 where !peer.write(commands) { break }
            return "survives"
        },
        HostileCase("2,000 half open connections", "survives") { server in
            let peers = try (0..<2_000).map { _ in try server.stranger() }
            _ = try server.join()
            return peers.isEmpty ? "" : "survives"
        },
        HostileCase("500 that have said half a header", "survives") { server in
            let peers = try (0..<500).map { _ in
                let peer = try server.stranger()
                peer.write(server.speech == .plain ? "GET /ws HTTP/1.1\r\nHost: localhost\r\nX: " : "\u{16}\u{3}\u{1}")
                return peer
            }
            _ = try server.join()
            return peers.isEmpty ? "" : "survives"
        },
        HostileCase("1,000 who come and reset", "survives") { server in
            for _ in 0..<1_000 {
                let peer = try server.stranger()
                peer.write("GET /ws HTTP/1.1\r\nHost: localhost\r\n")
                peer.reset()
            }
            return "survives"
        },
        HostileCase("200 handshakes and resets", "survives") { server in
            for _ in 0..<200 { try server.open().reset() }
            return "survives"
        },
        HostileCase("a header that drips", "survives") { server in
            let peer = try server.peer()
            for byte in "GET /ws HTTP/1.1\r\nHost: localhost\r\nX: y".utf8 { peer.write([byte]) }
            _ = try server.join()
            return "survives"
        },
        HostileCase("a frame that drips", "welcome") { server in
            let peer = try server.open()
            for byte in RawPeer.frame(0x81, hello) { peer.write([byte]) }
            return try peer.next()?.text.contains("welcome") == true ? "welcome" : "nothing"
        },
        HostileCase("a large message that never ends", "survives") { server in
            let peers = try (0..<50).map { _ in
                let peer = try server.open()
                peer.write(RawPeer.frame(0x81, [UInt8](repeating: 0x61, count: 60_000), announced: 65_000))
                return peer
            }
            _ = try server.join()
            return peers.isEmpty ? "" : "survives"
        },
        HostileCase("an answer that nobody reads", "survives") { server in
            let peers = try (0..<50).map { _ in
                let peer = try server.peer(receiveBuffer: 4_096)
                peer.write("GET /diffroom.js HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return peer
            }
            _ = try server.join()
            return peers.isEmpty ? "" : "survives"
        },
        HostileCase("a body that never comes", "survives") { server in
            let peer = try server.peer()
            peer.write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nabc")
            _ = try server.join()
            return "survives"
        },
    ]

    /// Cases for a server with TLS only.
    static let tls: [HostileCase] = [
        HostileCase("plain HTTP where TLS is spoken", "400") { server in
            let peer = try server.stranger()
            peer.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return try peer.status()
        },
        .bytes("garbage", "end", (0..<500).map { UInt8(truncatingIfNeeded: $0 &* 97 &+ 31) }),
        .bytes("a record of nothing", "end", [0x16, 3, 1, 0, 0] + [UInt8](repeating: 0, count: 100)),
        .bytes("a record that is too long", "end", [0x16, 3, 1, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 300)),
        .bytes("a hello that lies about its length", "end", [0x16, 3, 1, 0, 4, 1, 0xFF, 0xFF, 0xFF] + zeros),
        .bytes("data before the handshake", "end", [0x17, 3, 3, 0, 5, 1, 2, 3, 4, 5] + zeros),
        .bytes("an alert before the handshake", "end", [0x15, 3, 3, 0, 2, 2, 80]),
        .bytes("a hello of SSL 2", "end", [0x80, 0x2E, 1, 0, 2, 0, 0x15, 0, 0, 0, 0x10] + zeros),
        HostileCase("a hello that is cut short", "survives") { server in
            let peer = try server.stranger()
            peer.write([0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3])
            peer.finish()
            _ = try peer.readAll()
            return "survives"
        },
        HostileCase("HTTP/2 and nothing else", "end") { server in
            let peer = try server.stranger()
            do { try peer.startTLS(protocols: ["h2"]) } catch { return "end" }
            return "accepted"
        },
        HostileCase("TLS 1.1", "end") { server in
            let peer = try server.stranger()
            do { try peer.startTLS(versions: 0x0301...0x0302) } catch { return "end" }
            return "accepted"
        },
        HostileCase("a handshake of TLS 1.2 once more", "refused") { server in
            let peer = try server.stranger()
            try peer.startTLS(versions: 0x0303...0x0303)
            _ = try peer.open()
            return peer.renegotiate() ? "accepted" : "refused"
        },
        HostileCase("new keys 50 times", "welcome") { server in
            let peer = try server.open()
            for _ in 0..<50 where !peer.updateKeys() { break }
            return try server.greets(peer)
        },
        HostileCase("new keys 1,000,000 times", "end") { server in
            let peer = try server.open()
            for _ in 0..<1_000_000 where !peer.updateKeys(.own) { return try peer.ending() }
            return "survives"
        },
        HostileCase("new keys 1,000,000 times before a request", "end") { server in
            let peer = try server.peer()
            for _ in 0..<1_000_000 where !peer.updateKeys(.both) { return try peer.ending() }
            return "survives"
        },
        HostileCase("garbage after the handshake", "end") { server in
            let peer = try server.open()
            peer.writePlain([UInt8](repeating: 0x17, count: 64))
            return try peer.ending()
        },
        HostileCase("200 handshakes that are left half done", "survives") { server in
            for _ in 0..<200 {
                let peer = try server.stranger()
                peer.write([0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3])
                peer.reset()
            }
            return "survives"
        },
    ]

    private static let zeros = [UInt8](repeating: 0, count: 64)
    private static let hello = Array(#"{"type": "hello", "ref": 1, "user": "eve"}"#.utf8)

    /// Other bytes in place of a TLS handshake.
    private static func bytes(_ name: String, _ outcome: String, _ bytes: [UInt8]) -> HostileCase {
        HostileCase(name, outcome) { server in
            let peer = try server.stranger()
            peer.write(bytes)
            peer.finish()
            _ = try peer.readAll()  // at most an alert
            return "end"
        }
    }
}

extension HostileServer {
    /// Returns whether the peer is still served, whatever comes before the answer.
    func greets(_ peer: RawPeer) throws -> String {
        peer.send(#"{"type": "hello", "ref": 1, "user": "eve"}"#)
        while let message = try peer.next() {
            if message.text.contains("welcome") { return "welcome" }
        }
        return "nothing"
    }
}
