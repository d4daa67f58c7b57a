import ChatWire
import Foundation
import TestSupport
import Testing

/// The proxies of docs/scaling.md, before two servers.
@Suite(.timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has a database of its own"))
struct ProxyTests {
    private let folder = TemporaryFolder()

    /// Returns the block of the page in this language, with the servers' addresses and the proxy's.
    private func settings(_ language: String, _ servers: [Server], port: Int) throws -> String {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/scaling.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let start = try #require(text.firstRange(of: "```\(language)\n")).upperBound
        let end = try #require(text[start...].firstRange(of: "\n```")).lowerBound
        return text[start..<end].replacing("10.0.0.1:8080", with: "\(servers[0].host):\(servers[0].port)")
            .replacing("10.0.0.2:8080", with: "\(servers[1].host):\(servers[1].port)")
            .replacing("bind :443 ssl crt /etc/haproxy/chat.pem", with: "bind 127.0.0.1:\(port)")
            .replacing("listen 80;", with: "listen 127.0.0.1:\(port);") + "\n"
    }

    /// A port below those that the kernel gives out.
    private func freePort() -> Int { .random(in: 10_000..<32_000) }

    private func servers() async throws -> [Server] {
        let store = try ThrowawayPostgres.shared.get().address(for: folder.file("rooms.db"))
        return [
            try await Server(store: store, host: "127.0.0.1"), try await Server(store: store, host: "127.0.0.1"),
        ]
    }

    /// Returns when the proxy passes requests on.
    private func passes(_ port: Int, _ proxy: RunningProgram) throws {
        while (try? HTTPAnswer(getting: "/healthz", from: UInt16(port)))?.status != 200 {
            try #require(kill(proxy.identifier, 0) == 0, "the proxy has ended")
        }
    }

    private func join(_ room: String, by port: Int, _ connections: Connections) async throws -> Connection {
        let connection = try connections.connect(to: UInt16(port), path: "/?room=\(room)")
        _ = try await connection.answer(to: .hello(.user(.init("ann")!)))
        return connection
    }

    /// The number of connections of each server.
    private func counts(_ servers: [Server]) throws -> [Int] {
        try servers.map { server in
            let text = String(decoding: try HTTPAnswer(getting: "/metrics", from: server.port).body, as: UTF8.self)
            return text.firstMatch(of: /\ndiffroom_connections (\d+)/).flatMap { Int($0.output.1) } ?? -1
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/sbin/haproxy"), "haproxy is not installed"))
    func behindHAProxyADrainTellsEveryClient() async throws {
        let servers = try await servers()
        let port = freePort()
        try settings("haproxy", servers, port: port).write(
            toFile: folder.file("haproxy.cfg"), atomically: true, encoding: .utf8)
        let proxy = try RunningProgram("/usr/sbin/haproxy", ["-db", "-f", folder.file("haproxy.cfg")])
        try passes(port, proxy)
        let connections = try Connections()
        defer { connections.stop() }
        let here = try await join("lobby", by: port, connections)
        let home = try #require(try counts(servers).firstIndex(of: 1))
        for _ in 0..<3 { _ = try await join("lobby", by: port, connections) }
        #expect(try counts(servers)[home] == 4)

        servers[home].program.kill(SIGTERM)

        var frame = try await here.frame()
        while frame.byeCode == nil { frame = try await here.frame() }
        #expect(frame.byeCode == CloseCode.restart)
        let next = try await join("lobby", by: port, connections)
        #expect(try counts([servers[1 - home]]) == [1])
        #expect(await servers[home].program.end() == .exit(0))
        withExtendedLifetime(next) {}
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx"), "nginx is not installed"))
    func behindNginxARoomStaysOnOneServerUntilThatIsGone() async throws {
        let servers = try await servers()
        let port = freePort()
        let text =
            "pid \(folder.file("pid")); error_log stderr; events {}\nhttp {\naccess_log off;\n"
            + (try settings("nginx", servers, port: port)) + "}\n"
        try text.write(toFile: folder.file("nginx.conf"), atomically: true, encoding: .utf8)
        let proxy = try RunningProgram(
            "/usr/sbin/nginx", ["-g", "daemon off; master_process off;", "-c", folder.file("nginx.conf")])
        try passes(port, proxy)
        let connections = try Connections()
        defer { connections.stop() }
        for _ in 0..<4 { _ = try await join("lobby", by: port, connections) }
        let home = try #require(try counts(servers).firstIndex(of: 4))

        servers[home].program.kill(SIGKILL)
        _ = await servers[home].program.end()
        let next = try await join("lobby", by: port, connections)

        #expect(try counts([servers[1 - home]]) == [1])
        withExtendedLifetime(next) {}
    }
}

extension ServerFrame {
    fileprivate var byeCode: UInt16? {
        if case .bye(let code, _, _) = self { code } else { nil }
    }
}
