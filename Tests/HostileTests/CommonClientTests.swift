import TestSupport
import Testing

/// The requests that common clients and probes send, byte for byte: each gets the right answer, plain and with TLS.
@Suite(.serialized, .timeLimit(.minutes(Deadline.minutes)))
struct CommonClientTests {
    /// One request of a client, and the beginning of the right answer.
    struct Sent: CustomTestStringConvertible, Sendable {
        let client: String
        let lines: [String]
        var body = ""
        /// The status, and lines that the header must contain.
        let answer: [String]
        /// The connection is kept for the next request.
        let stays: Bool

        var testDescription: String { client }
        var bytes: String { (lines + ["", ""]).joined(separator: "\r\n") + body }
    }

    private static let servers = Task {
        let flags = ["--origin", "https://app.example"]
        return [
            HostileServer.Speech.plain: try await HostileServer(.plain, flags: flags),
            .tls: try await HostileServer(.tls, flags: flags),
        ]
    }

    private static func get(
        _ client: String, _ lines: String..., path: String = "/healthz", host: String = "localhost:8080",
        answer: [String] = ["200 OK"], stays: Bool = true
    ) -> Sent {
        Sent(client: client, lines: ["GET \(path) HTTP/1.1", "Host: \(host)"] + lines, answer: answer, stays: stays)
    }

    private static let json = #"{"user":"bot","id":"5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2","text":"built"}"#

    private static func post(_ client: String, _ lines: String..., answer: [String] = ["200 OK"]) -> Sent {
        Sent(
            client: client,
            lines: [
                "POST /api/rooms/lobby/messages HTTP/1.1", "Host: localhost:8080", "Content-Length: \(json.utf8.count)",
            ]
                + lines,
            body: json, answer: answer, stays: true)
    }

    private static let h2c = [
        "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABk",
    ]
    private static let audit = "/api/rooms/lobby/messages"

    static let probes: [Sent] = [
        get("curl --http1.1", "User-Agent: curl/7.88.1", "Accept: */*"),
        get("curl --http2", "User-Agent: curl/7.88.1", "Accept: */*", h2c[0], h2c[1], h2c[2]),
        Sent(
            client: "curl --http1.0", lines: ["GET /healthz HTTP/1.0", "Host: localhost", "User-Agent: curl/7.88.1"],
            answer: ["200 OK", "connection: close"], stays: false),
        get(
            "java.net.http.HttpClient", h2c[0], "Content-Length: 0", h2c[1], h2c[2],
            "User-Agent: Java-http-client/17.0.17"),
        get(
            "java.net.HttpURLConnection", "User-Agent: Java/17.0.17",
            "Accept: text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", "Connection: keep-alive"),
        get(
            "Python urllib", "Accept-Encoding: identity", "User-Agent: Python-urllib/3.11", "Connection: close",
            answer: ["200 OK", "connection: close"], stays: false),
        get(
            "Python requests", "User-Agent: python-requests/2.32.3", "Accept-Encoding: gzip, deflate", "Accept: */*",
            "Connection: keep-alive", answer: ["200 OK", "connection: keep-alive"]),
        get(
            "Python httpx", "Accept: */*", "Accept-Encoding: gzip, deflate", "Connection: keep-alive",
            "User-Agent: python-httpx/0.28.1"),
        get("Python aiohttp", "Accept: */*", "Accept-Encoding: gzip, deflate", "User-Agent: Python/3.11 aiohttp/3.13"),
        get("Go net/http", "User-Agent: Go-http-client/1.1", "Accept-Encoding: gzip"),
        get(
            "node fetch (undici)", "connection: keep-alive", "accept: */*", "accept-language: *",
            "sec-fetch-mode: cors",
            "user-agent: node", "accept-encoding: gzip, deflate"),
        get("wget", "User-Agent: Wget/1.21.3", "Accept: */*", "Accept-Encoding: identity", "Connection: Keep-Alive"),
        Sent(
            client: "HAProxy: option httpchk", lines: ["OPTIONS / HTTP/1.0"], answer: ["204 No Content", "allow: "],
            stays: false),
        Sent(client: "HAProxy: http-check send", lines: ["GET /readyz HTTP/1.0"], answer: ["200 OK"], stays: false),
        get(
            "Kubernetes", "User-Agent: kube-probe/1.33", "Accept: */*", "Connection: close", path: "/readyz",
            host: "127.0.0.1:8080", stays: false),
        get(
            "Elastic Load Balancing", "Connection: close", "User-Agent: ELB-HealthChecker/2.0",
            "Accept-Encoding: gzip, compressed",
            host: "127.0.0.1:8080", stays: false),
        Sent(
            client: "ab",
            lines: ["GET /healthz HTTP/1.0", "Host: localhost", "User-Agent: ApacheBench/2.3", "Accept: */*"],
            answer: ["200 OK"], stays: false),
        Sent(
            client: "ab -k",
            lines: [
                "GET /healthz HTTP/1.0", "Connection: Keep-Alive", "Host: localhost", "User-Agent: ApacheBench/2.3",
            ],
            answer: ["200 OK", "connection: keep-alive"], stays: true),
        get("a proxy's absolute form", path: "http://localhost:8080/healthz"),
        get("the absolute form without a path", path: "http://localhost:8080"),
        Sent(client: "HEAD", lines: ["HEAD /metrics HTTP/1.1", "Host: localhost"], answer: ["200 OK"], stays: true),
        Sent(
            client: "OPTIONS *", lines: ["OPTIONS * HTTP/1.1", "Host: localhost"], answer: ["204 No Content"],
            stays: true),
    ]

    static let calls: [Sent] =
        [
            post("curl -d", "Content-Type: application/json", "User-Agent: curl/7.88.1", "Accept: */*"),
            post("axios", "Content-Type: application/json; charset=utf-8", "Accept: application/json, text/plain, */*"),
            post("another case and blanks", "content-type:\tApplication/JSON ;charset=\"UTF-8\""),
            post("a type that begins so", "Content-Type: application/jsonx", answer: ["400 Bad Request"]),
            post("a patch", "Content-Type: application/json-patch+json", answer: ["400 Bad Request"]),
            post("another encoding", "Content-Type: application/json; charset=latin1", answer: ["400 Bad Request"]),
            post("no type", answer: ["400 Bad Request"]),
            post(
                "two types", "Content-Type: text/plain", "Content-Type: application/json", answer: ["400 Bad Request"]),
            Sent(
                client: "a browser's preflight",
                lines: [
                    "OPTIONS \(audit) HTTP/1.1", "Host: localhost:8080", "Connection: keep-alive", "Accept: */*",
                    "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization,content-type",
                    "Origin: https://app.example", "Sec-Fetch-Mode: cors", "Sec-Fetch-Site: cross-site",
                ],
                answer: [
                    "204 No Content", "access-control-allow-origin: https://app.example",
                    "access-control-allow-methods: GET, HEAD, POST, OPTIONS",
                    "access-control-allow-headers: authorization, content-type",
                    "access-control-allow-credentials: true", "vary: origin",
                ], stays: true),
            get(
                "a page of a listed origin", "Origin: https://app.example", path: audit,
                answer: ["200 OK", "access-control-allow-origin: https://app.example"]),
            get("a page of this server", "Origin: http://localhost:8080", path: audit),
            get(
                "a foreign page", "Origin: https://evil.example", path: audit,
                answer: ["403 Forbidden", "access-control-allow-origin: *"], stays: false),
        ]
        + ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "NONSENSE"].map { method in
            Sent(
                client: "a foreign page's \(method)",
                lines: ["\(method) \(audit) HTTP/1.1", "Host: localhost:8080", "Origin: https://evil.example"],
                answer: ["403 Forbidden"], stays: false)
        }

    @Test(arguments: probes + calls, HostileServer.Speech.allCases)
    func itGetsTheRightAnswer(sent: Sent, speech: HostileServer.Speech) async throws {
        let server = try #require(try await Self.servers.value[speech])
        let peer = try server.peer()

        peer.write(sent.bytes)
        let header = try peer.readHeader()

        for line in sent.answer { #expect(header.contains(line), "\(header)") }
        #expect(header.contains(sent.stays ? "connection: keep-alive\r\n" : "connection: close\r\n"), "\(header)")
    }

    @Test(arguments: HostileServer.Speech.allCases)
    func allThatStayMayComeOnOneConnection(speech: HostileServer.Speech) async throws {
        let server = try #require(try await Self.servers.value[speech])
        let peer = try server.peer()
        let sent = (Self.probes + Self.calls).filter { $0.stays && $0.lines[0].hasSuffix("1.1") }

        for request in sent { peer.write(request.bytes) }
        peer.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let statuses = try peer.readAll().split(separator: "HTTP/1.1 ").map { $0.prefix { $0 != "\r\n" } }

        #expect(statuses == sent.map { $0.answer[0][...] } + ["200 OK"])
    }

    /// The entity tag of a page, weak comparison, lists and `*` (RFC 9110, 13.1.2).
    @Test(arguments: HostileServer.Speech.allCases)
    func aPageThatIsKnownIsNotSentAgain(speech: HostileServer.Speech) async throws {
        let server = try #require(try await Self.servers.value[speech])
        let peer = try server.peer()
        func status(_ known: String) throws -> String {
            peer.write("HEAD \(Self.audit)?limit=1 HTTP/1.1\r\nHost: localhost\r\n\(known)\r\n")
            return String(try peer.readHeader().dropFirst(9).prefix(3))
        }
        peer.write("HEAD \(Self.audit)?limit=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let header = try peer.readHeader()
        let tag = try #require(header.split(separator: "\r\n").first { $0.hasPrefix("etag: W/") }?.dropFirst(8))

        for known in ["W/\(tag)", "\(tag)", "\"x\", W/\(tag)", "\"a,b\" ,\(tag),", "*", " *"] {
            #expect(try status("If-None-Match: \(known)\r\n") == "304", "\(known)")
        }
        #expect(try status("If-None-Match: \"x\"\r\nIf-None-Match: \(tag)\r\n") == "304")
        for other in [
            "\"x\"", "\(tag.dropLast())", "x\(tag)", "\(tag)x", "\(tag.dropFirst().dropLast())", "\"*\"", "w/\(tag)",
            "",
        ] {
            #expect(try status("If-None-Match: \(other)\r\n") == "200", "\(other)")
        }
    }
}
