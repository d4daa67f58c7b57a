import Foundation
import TestSupport

extension HostileCase {
    /// Invalid or false requests.
    static let requests: [HostileCase] = [
        .request("nothing but line ends", "400", "", "", "", ""),
        .request("no version", "400", "GET /", "Host: localhost", "", ""),
        .request("a version that is none", "400", "GET / HTTP/9.9", "Host: localhost", "", ""),
        .request("a method that is none", "400", "\u{1}\u{2}\u{3} / HTTP/1.1", "Host: localhost", "", ""),
        .request("a method in small letters", "405", "get /metrics HTTP/1.1", "Host: localhost", "", ""),
        .request("PUT", "405", "PUT / HTTP/1.1", "Host: localhost", "Content-Length: 0", "", ""),
        .request("DELETE", "405", "DELETE / HTTP/1.1", "Host: localhost", "", ""),
        .request("OPTIONS", "204", "OPTIONS / HTTP/1.1", "Host: localhost", "", ""),
        .request(
            "OPTIONS of a room without a right", "204", "OPTIONS /api/rooms/x/audit HTTP/1.1", "Host: localhost", "", ""
        ),
        .request("a carriage return in a header", "400", "GET / HTTP/1.1", "Host: localhost", "X: a\rHost: b", "", ""),
        .request(
            "an expectation that is none", "417", "POST / HTTP/1.1", "Host: localhost", "Expect: a pony",
            "Content-Length: 2", "", "{}"),
        .request("TRACE", "405", "TRACE / HTTP/1.1", "Host: localhost", "", ""),
        .request("CONNECT to elsewhere", "400", "CONNECT elsewhere:443 HTTP/1.1", "Host: localhost", "", ""),
        .request("an absolute address", "400", "GET http://elsewhere/ HTTP/1.1", "Host: localhost", "", ""),
        .request("no host", "400", "GET / HTTP/1.1", "", ""),
        .request("a header without a colon", "400", "GET / HTTP/1.1", "Host: localhost", "nonsense", "", ""),
        .request("a folded header", "400", "GET / HTTP/1.1", "Host: localhost", "X: a", " b", "", ""),
        .request("a NUL in a header", "400", "GET / HTTP/1.1", "Host: localhost", "X: a\u{0}b", "", ""),
        .request("a NUL in the path", "400", "GET /%00 HTTP/1.1", "Host: localhost", "", ""),
        .request("invalid UTF-8 in the path", "404", "GET /%ff%fe HTTP/1.1", "Host: localhost", "", ""),
        .request("half an escape", "404", "GET /%2 HTTP/1.1", "Host: localhost", "", ""),
        .request("up the tree", "404", "GET /../../etc/passwd HTTP/1.1", "Host: localhost", "", ""),
        .request("up the tree, escaped", "404", "GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1", "Host: localhost", "", ""),
        .request("up the tree, escaped twice", "404", "GET /%252e%252e/etc/passwd HTTP/1.1", "Host: localhost", "", ""),
        .request(
            "up the tree, slashes escaped", "404", "GET /..%2f..%2fetc%2fpasswd HTTP/1.1", "Host: localhost", "", ""),
        .request("up the tree, backwards", "404", "GET /..\\..\\etc\\passwd HTTP/1.1", "Host: localhost", "", ""),
        .request("up the tree, overlong", "404", "GET /%c0%ae%c0%ae/etc/passwd HTTP/1.1", "Host: localhost", "", ""),
        .request("a file of the page and more", "400", "GET /app.js%00.html HTTP/1.1", "Host: localhost", "", ""),
        .request("another spelling of a path: escaped", "404", "GET /%6detrics HTTP/1.1", "Host: localhost", "", ""),
        .request("another spelling of a path: doubled", "404", "GET //metrics HTTP/1.1", "Host: localhost", "", ""),
        .request("another spelling of a path: back", "404", "GET /x/../metrics HTTP/1.1", "Host: localhost", "", ""),
        .request("a name that was made to point here", "403", "GET /metrics HTTP/1.1", "Host: evil.example", "", ""),
        .request("a host that is empty", "403", "GET /metrics HTTP/1.1", "Host:", "", ""),
        .request("a host of spaces", "403", "GET /metrics HTTP/1.1", "Host:   ", "", ""),
        .request("an origin that is empty", "403", "GET /metrics HTTP/1.1", "Host: localhost", "Origin:", "", ""),
        .request(
            "a page of another site", "403", "GET /api/rooms/lobby/messages HTTP/1.1", "Host: localhost",
            "Origin: https://evil.example", "", ""),
        .request(
            "a page of another site that posts", "403", "POST /api/rooms/lobby/messages HTTP/1.1", "Host: localhost",
            "Origin: https://evil.example", "Content-Type: application/json", "Content-Length: 2", "", "{}"),
        .request("a room that climbs", "404", "GET /api/rooms/..%2f../messages HTTP/1.1", "Host: localhost", "", ""),
        .request(
            "a header of 20 KB", "431", "GET / HTTP/1.1", "Host: localhost",
            "Cookie: " + String(repeating: "c", count: 20_000), "", ""),
        .request(
            "a query of 2 KB in one part", "414", "GET /?" + String(repeating: "q", count: 2_000) + " HTTP/1.1",
            "Host: localhost", "", ""),
        .request("a path of 20 KB", "431", "GET /" + String(repeating: "p", count: 20_000) + " HTTP/1.1", "", ""),
        .request(
            "200 headers", "431", "GET / HTTP/1.1", "Host: localhost" + String(repeating: "\r\nA: b", count: 200), "",
            ""),
        .request(
            "200 arguments", "431", "GET /?a" + String(repeating: "&a=b", count: 200) + " HTTP/1.1", "Host: localhost",
            "", ""),
        .request(
            "a length that is negative", "400", "POST / HTTP/1.1", "Host: localhost", "Content-Length: -1", "", ""),
        .request("a length that is none", "400", "POST / HTTP/1.1", "Host: localhost", "Content-Length: 0x10", "", ""),
        .request(
            "a length of 2^64", "400", "POST / HTTP/1.1", "Host: localhost", "Content-Length: 18446744073709551616", "",
            ""),
        .request("a body of a GB", "413", "POST / HTTP/1.1", "Host: localhost", "Content-Length: 1073741824", "", ""),
        .request(
            "two lengths", "400", "POST / HTTP/1.1", "Host: localhost", "Content-Length: 5", "Content-Length: 6", "",
            "hello"),
        .request(
            "chunks and a length", "411", "POST / HTTP/1.1", "Host: localhost", "Content-Length: 5",
            "Transfer-Encoding: chunked", "", "0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        .request(
            "chunks", "411", "POST / HTTP/1.1", "Host: localhost", "Transfer-Encoding: chunked", "",
            "5\r\nhello\r\n0\r\n\r\n"),
        .request("HTTP/2 without asking", "400", "PRI * HTTP/2.0", "", "SM", "", ""),
        // These wait for an answer, not for the end of a header.
        .request("the preface of HTTP/2", "400", "PRI * HTTP/2.0", ""),
        .request("TLS, as far as its first byte", "400", "\u{16}"),
        .request("SSH", "400", "SSH-2.0-OpenSSH_9.6", ""),
        .request("SMTP", "400", "EHLO example.org", ""),
        .request("an empty line", "400", "", ""),
        .request("a PROXY header, version 1", "400", "PROXY TCP4 192.0.2.1 192.0.2.2 1 2", ""),
        .request("a PROXY header, version 2", "400", "", "", "\0", "QUIT\n!"),
        .request(
            "an upgrade to HTTP/2, which is left alone", "200", "GET / HTTP/1.1", "Host: localhost", "Upgrade: h2c", "",
            ""),
        HostileCase("three hundred requests at once, and one that is none", "300 answers, then 400") { server in
            let peer = try server.peer()
            let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
            peer.write(String(repeating: request, count: 300) + "nonsense\r\n\r\n" + request)
            let answers = try peer.readAll().components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
            return "\(answers.count { $0 == "200" }) answers, then \(answers.last ?? "")"
        },
        HostileCase("a request behind a body that is longer than it says", "400") { server in
            let peer = try server.peer()
            peer.write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n{}GET / HTTP/1.1\r\n\r\n")
            let answers = try peer.readAll().components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
            return String(answers.last ?? "")
        },
        HostileCase("a second request on each of 200 connections that never comes", "200") { server in
            let peers = try (0..<200).map { _ in
                let peer = try server.peer()
                peer.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /heal")
                return peer
            }
            return try Set(peers.map { try $0.status() }).joined(separator: " ")
        },
        HostileCase("a HEAD has no body", "200") { server in
            let peer = try server.peer()
            peer.write("HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let answer = try peer.readAll()
            return answer.hasSuffix("\r\n\r\n") ? String(answer.dropFirst(9).prefix(3)) : answer
        },
    ]

    /// Invalid WebSocket handshakes.
    static let handshakes: [HostileCase] = [
        .handshake("no key", "400", without: "Sec-WebSocket-Key"),
        .handshake("two keys", "400", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="),
        .handshake("a short key", "400", without: "Sec-WebSocket-Key", "Sec-WebSocket-Key: YQ=="),
        .handshake("no version", "426", without: "Sec-WebSocket-Version"),
        .handshake("version 8", "426", without: "Sec-WebSocket-Version", "Sec-WebSocket-Version: 8"),
        .handshake("no connection header", "400", without: "Connection"),
        .handshake("two hosts", "400", "Host: b"),
        .handshake("another subprotocol", "400", "Sec-WebSocket-Protocol: mqtt"),
        .handshake("the origin of another site", "403", "Origin: https://evil.example"),
        .handshake("no origin that one can name", "403", "Origin: null"),
        .handshake("two origins", "403", "Origin: https://a", "Origin: https://evil.example"),
        .handshake("the host within another name", "403", "Origin: https://a.evil.example"),
        .request(
            "a handshake by POST", "405", "POST /ws HTTP/1.1", RawPeer.upgrade.joined(separator: "\r\n"),
            "Content-Length: 0", "", ""),
        .request(
            "a handshake of HTTP/1.0", "400", "GET /ws HTTP/1.0", RawPeer.upgrade.joined(separator: "\r\n"), "", ""),
        .request(
            "a handshake elsewhere", "404", "GET /admin HTTP/1.1", RawPeer.upgrade.joined(separator: "\r\n"), "", ""),
    ]
}
