import ChatClient
import ChatWire
import Foundation
import TestSupport
import Testing

/// The proxies of docs/scaling.md, before two servers.
@Suite(
    .timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has a database of its own"))
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
        [try await server(), try await server()]
    }

    private static let token = String(repeating: "t", count: 32)

    /// Starts a server with an admin API, again on a port of an earlier one.
    private func server(port: UInt16 = 0) async throws -> Server {
        let store = try ThrowawayPostgres.shared.get().address(for: folder.file("rooms.db"))
        let token = folder.file("admin.token")
        try Self.token.write(toFile: token, atomically: true, encoding: .utf8)
        chmod(token, 0o600)
        return try await Server(
            store: store, host: "127.0.0.1", port: port, flags: ["--route-by", "room", "--admin-token-file", token])
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
        let proxy = try haproxy(servers, port: port)
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

    /// A server is gone and comes back: the connections of its rooms go home, and the others stay.
    private func roomsGoHome(behind start: ([Server], Int) throws -> RunningProgram) async throws {
        var servers = [try await server(port: UInt16(freePort())), try await server(port: UInt16(freePort()))]
        let port = freePort()
        let proxy = try start(servers, port)
        try passes(port, proxy)
        let rooms = try await homes(of: servers, by: port)
        let people = try rooms.flatMap { room in
            try ["ann", "bob", "cid", "dan"].map { user in
                let url = "ws://127.0.0.1:\(port)/?room=\(room)"
                let client = try ChatClient(url: url, user: #require(UserName(user)))
                client.open(try #require(RoomName(room)))
                return client
            }
        }
        while try counts(servers) != [4, 4] {}

        servers[0].program.kill(SIGKILL)
        _ = await servers[0].program.end()
        while try counts([servers[1]]) != [8] {}
        servers[0] = try await server(port: servers[0].port)
        // The proxy uses it again, for new connections only.
        while try await homes(of: servers, by: port, among: rooms) != rooms {}
        #expect(try counts(servers) == [0, 8])

        let order = try HTTPAnswer(
            posting: #"{"seconds":2}"#, to: "/admin/v1/rebalance", of: servers[1].port,
            headers: ["Authorization": "Bearer \(Self.token)"])
        #expect(order.status == 202, "\(order)")
        while try counts(servers) != [4, 4] {}
        while try !progress(of: servers[1]).contains(#""moving":false"#) {}
        #expect(try progress(of: servers[1]) == #"{"moving":false,"closed":5,"stayed":3,"left":0}"#)
        #expect(try counts(servers) == [4, 4])
        for client in people { client.close() }
        withExtendedLifetime(proxy) {}
    }

    private func progress(of server: Server) throws -> String {
        let headers = ["Authorization": "Bearer \(Self.token)"]
        let answer = try HTTPAnswer(getting: "/admin/v1/rebalance", from: server.port, headers: headers)
        return String(decoding: answer.body, as: UTF8.self)
    }

    /// Returns a room of each server, as the proxy chooses.
    private func homes(
        of servers: [Server], by port: Int, among rooms: [String] = (0..<100).map { "room\($0)" }
    ) async throws -> [String] {
        let connections = try Connections()
        defer { connections.stop() }
        var homes: [String?] = servers.map { _ in nil }
        for room in rooms where homes.contains(nil) {
            let before = try counts(servers)
            let connection = try await join(room, by: port, connections)
            let after = try counts(servers)
            if let home = servers.indices.first(where: { after[$0] > before[$0] }) { homes[home] = homes[home] ?? room }
            connection.close()
            while try counts(servers) != before {}
        }
        return homes.compactMap(\.self)
    }

    private func haproxy(_ servers: [Server], port: Int) throws -> RunningProgram {
        let file = folder.file("haproxy.cfg")
        try settings("haproxy", servers, port: port).write(toFile: file, atomically: true, encoding: .utf8)
        return try RunningProgram("/usr/sbin/haproxy", ["-db", "-f", file])
    }

    private func nginx(_ servers: [Server], port: Int) throws -> RunningProgram {
        let file = folder.file("nginx.conf")
        let text =
            "pid \(folder.file("pid")); error_log stderr; events {}\nhttp {\naccess_log off;\n"
            + (try settings("nginx", servers, port: port)) + "}\n"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return try RunningProgram("/usr/sbin/nginx", ["-g", "daemon off; master_process off;", "-c", file])
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/sbin/haproxy"), "haproxy is not installed"))
    func behindHAProxyTheRoomsOfAServerThatIsBackGoHome() async throws { try await roomsGoHome(behind: haproxy) }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx"), "nginx is not installed"))
    func behindNginxTheRoomsOfAServerThatIsBackGoHome() async throws { try await roomsGoHome(behind: nginx) }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx"), "nginx is not installed"))
    func behindNginxARoomStaysOnOneServerUntilThatIsGone() async throws {
        let servers = try await servers()
        let port = freePort()
        let proxy = try nginx(servers, port: port)
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
