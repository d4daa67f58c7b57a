import Foundation
import Glibc
import TestSupport
import Testing
import WebSocketTransport

/// What only a process of its own can show: its limits, its memory, its processor time.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct ProcessTests {
    /// Sets how many descriptors there may be.
    private static func limitDescriptors(_ soft: UInt, hard: UInt) {
        var limit = rlimit(rlim_cur: soft, rlim_max: hard)
        let failed = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        precondition(failed == 0, "setrlimit: \(errno)")
    }

    /// Takes every descriptor that is left.
    private static func takeAll() -> [Int32] {
        var taken: [Int32] = []
        while case let file = open("/dev/null", O_RDONLY | O_CLOEXEC), file >= 0 { taken.append(file) }
        return taken
    }

    /// How many descriptors are left.
    private static func countFree() -> Int {
        let taken = takeAll()
        for file in taken { close(file) }
        return taken.count
    }

    /// What the process computes while nothing should happen for a second, in seconds of one processor.
    private static func computedInASecond(of server: TestServer) -> Double {
        func used() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let before = used()
        _ = try? server.events.wait(seconds: 1) { _ in Optional<Void>.none }
        return used() - before
    }

    @Test
    func theSoftLimitIsRaisedToTheHardOne() async {
        await #expect(processExitsWith: .success) {
            Self.limitDescriptors(80, hard: 512)

            _ = try TestServer()

            #expect(Self.countFree() > 400)
        }
    }

    @Test
    func withoutDescriptorsNothingSpinsAndAcceptingResumesWithTheFirstFreeOne() async {
        await #expect(processExitsWith: .success) {
            Self.limitDescriptors(256, hard: 256)
            let server = try TestServer()
            let (peer, connection) = try server.rawPeer()
            var files = Self.takeAll()
            close(files.removeLast())
            let waiting = try RawPeer(port: server.server.port)  // takes that one; the system connects it

            peer.send("a")
            #expect(try server.received(on: connection) == [0x61])
            #expect(Self.computedInASecond(of: server) < 0.05)
            #expect(server.server.statistics.accepted == 1)

            for _ in 0..<8 { close(files.removeLast()) }
            #expect(try waiting.open().hasPrefix("HTTP/1.1 101 "))
            peer.send("b")
            #expect(try server.received(on: connection) == [0x62])
        }
    }

    @Test
    func someDescriptorsAreKeptForFiles() async {
        await #expect(processExitsWith: .success) {
            Self.limitDescriptors(256, hard: 256)
            let server = try TestServer()
            var (holders, held): ([(ChildProcess, ChildPipe)], Int) = ([], 0)
            defer {
                for (child, pipe) in holders {
                    try? pipe.writing.close()
                    child.wait()
                }
            }

            // A child holds the peers' ends, else they would be taken from the same limit.
            while server.server.statistics.refused[.full] == 0, held < 256 {
                let peers = try (0..<20).map { _ in try RawPeer(port: server.server.port) }
                let pipe = try ChildPipe()
                holders.append((try ChildProcess("cat", [], input: pipe.reading.fileDescriptor), pipe))
                try pipe.reading.close()
                held += peers.count
                while server.server.statistics.accepted + server.server.statistics.refused[.full]! < held {
                    sched_yield()
                }
            }

            #expect(server.server.statistics.openNow < 256 - 64)
            #expect(Self.countFree() >= 40)
        }
    }

    @Test
    func handshakesThatNeverEndCostLittleAndEnd() async {
        await #expect(processExitsWith: .success) {
            let server = try TestServer { $0.headerSeconds = 5 }
            let crowd = try (0..<1500).map { _ in try RawPeer(port: server.server.port) }
            while server.server.statistics.accepted < crowd.count { sched_yield() }
            let part = Array(("GET /ws HTTP/1.1\r\nCookie: " + String(repeating: "c", count: 8000)).utf8)

            let before = try Self.residentBytes()
            for peer in crowd { peer.write(part) }
            #expect(try server.answers())
            let each = try (Self.residentBytes() - before) / crowd.count
            #expect(each < 4000, "\(each) bytes each")
            for peer in crowd { #expect(try peer.readAll() == "") }
            server.isEmpty()
        }
    }

    private static func residentBytes() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[1]
        return Int(pages)! * sysconf(Int32(_SC_PAGESIZE))
    }

    @Test
    func halfAHeaderMakesNothingSpin() async {
        await #expect(processExitsWith: .success) {
            let server = try TestServer()
            let peer = try RawPeer(port: server.server.port)
            let lines = (["GET /ws HTTP/1.1"] + RawPeer.upgrade).map { "\($0)\r\n" }

            peer.write(lines.joined())
            #expect(Self.computedInASecond(of: server) < 0.05)
            peer.write("\r\n")

            #expect(try peer.readHeader().hasPrefix("HTTP/1.1 101 "))
        }
    }

    enum More: CaseIterable, Codable {
        case nothing, anotherRequest, itsEnd, aReset

        func say(_ peer: RawPeer) {
            switch self {
            case .nothing: break
            case .anotherRequest: peer.write("GET / HTTP/1.1\r\nHost: b\r\n\r\n")
            case .itsEnd: peer.finish()
            case .aReset: peer.reset()
            }
        }
    }

    @Test(arguments: More.allCases)
    func whatComesAfterARequestMakesNothingSpin(more: More) async {
        await #expect(processExitsWith: .success) { [more] in
            let server = try TestServer()
            let peer = try RawPeer(port: server.server.port, receiveBuffer: 4096)
            peer.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let (id, _) = try server.request()

            more.say(peer)
            #expect(Self.computedInASecond(of: server) < 0.05, "while the application thinks")
            server.server.respond(to: id, HTTPResponse(status: 200, body: [UInt8](repeating: 0x61, count: 8 << 20)))
            while server.server.statistics.bytesOut == 0, server.server.statistics.openNow > 0 { sched_yield() }
            #expect(Self.computedInASecond(of: server) < 0.05, "while the peer reads slowly")
        }
    }

    @Test(arguments: [
        "Content-Length: 70000\r\n\r\n" + String(repeating: "b", count: 70_000) + "more",
        "Content-Length: 5x\r\n\r\nmore", "Transfer-Encoding: chunked\r\n\r\n4\r\nmore\r\n0\r\n\r\nmore",
    ])
    func whatComesAfterARefusalMakesNothingSpin(rest: String) async {
        await #expect(processExitsWith: .success) { [rest] in
            let server = try TestServer()
            let peer = try RawPeer(port: server.server.port)

            peer.write("POST / HTTP/1.1\r\nHost: a\r\n" + rest)
            #expect(try peer.readHeader().hasPrefix("HTTP/1.1 4"))
            peer.write("and more")

            #expect(Self.computedInASecond(of: server) < 0.05)
        }
    }
}
