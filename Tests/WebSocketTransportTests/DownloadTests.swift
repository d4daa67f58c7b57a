import Foundation
import Glibc
import TestSupport
import Testing
import WebSocketTransport

/// Answers whose bodies are parts of files.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct DownloadTests {
    private func get(_ method: String = "GET", _ more: String...) -> String {
        (["\(method) /file HTTP/1.1", "Host: a"] + more + ["", ""]).joined(separator: "\r\n")
    }

    private func answer(
        _ server: TestServer, _ file: TestFile, _ status: Int = 200, _ start: Int = 0, _ count: Int
    ) throws {
        let part = FilePart(descriptor: file.descriptor(O_RDONLY), start: UInt64(start), count: UInt64(count))
        server.server.respond(to: try server.request().0, HTTPResponse(status: status, file: part))
    }

    // MARK: - Whole parts

    @Test(arguments: Wire.allCases)
    func aPartArrivesByteForByte(wire: Wire) throws {
        let (server, file) = (try serve(wire), TestFile(seed: 1, count: 3_000_007))
        let (peer, bytes) = (try connect(server, wire), file.bytes)
        let parts = [
            (0, 3_000_007), (0, 1), (131_071, 65_537), (65_536, 65_536), (3_000_006, 1), (5, 0), (3_000_007, 0),
            (1, 2_999_999),
        ]

        for (start, count) in parts {
            peer.write(get("GET", "Range: bytes=\(start)-"))
            try answer(server, file, 206, start, count)
            let header = try peer.readHeader()

            #expect(header.hasPrefix("HTTP/1.1 206 Partial Content\r\n") && header.contains("connection: keep-alive"))
            #expect(header.contains("content-length: \(count)\r\n"))
            #expect(try peer.read(count) == Array(bytes[start..<(start + count)]))
        }
        #expect(server.server.statistics.accepted == 1)
        file.isClosed()
    }

    @Test
    func theRangeIsHandedUp() throws {
        let server = try serve(.plain)
        let peer = try connect(server, .plain)

        peer.write(get("GET", "Range: bytes=5-", "Content-Range: bytes 5-9/10"))
        let (_, request) = try server.request()

        #expect(request.headers["range"] == "bytes=5-" && request.headers["content-range"] == "bytes 5-9/10")
    }

    @Test(arguments: Wire.allCases)
    func answersThatAreSentTogetherStayWhole(wire: Wire) throws {
        let (server, file) = (try serve(wire), TestFile(seed: 2, count: 10_000))
        let peer = try connect(server, wire)

        peer.write(get() + get("HEAD") + get() + get("GET", "Connection: close"))
        for _ in 0..<4 { try answer(server, file, 200, 0, 10_000) }

        for body in [file.bytes, [], file.bytes, file.bytes] {
            #expect(try peer.readHeader().contains("content-length: 10000\r\n"))
            #expect(try peer.read(body.count) == body)
        }
        #expect(try peer.readAll() == "")
        file.isClosed()
    }

    @Test(arguments: Wire.allCases)
    func aSlowReaderHoldsOnePieceInMemory(wire: Wire) throws {
        let (server, file) = (try serve(wire), TestFile(seed: 3, count: 4_000_000))
        let peer = try connect(server, wire, receiveBuffer: 4096)
        peer.write(get("GET", "Connection: close"))

        try answer(server, file, 200, 0, 4_000_000)
        _ = try peer.readHeader()
        var bytes: [UInt8] = []
        for _ in 0..<100 {
            #expect(server.server.statistics.answerBytesNow <= (64 << 10) + 1_000)
            bytes += try peer.read(40_000)
        }

        #expect(bytes == file.bytes)
        #expect(try peer.readAll() == "")
        file.isClosed()
        #expect(server.server.statistics.answerBytesNow == 0)
    }

    @Test(arguments: Wire.allCases)
    func manyReadersGetTheirPartsAtOnce(wire: Wire) throws {
        let (server, file) = (try serve(wire) { $0.loops = 2 }, TestFile(seed: 4, count: 300_000))
        let bytes = file.bytes
        let peers = try (0..<40).map { _ in try connect(server, wire, receiveBuffer: 4096) }

        for (index, peer) in peers.enumerated() {
            peer.write(get())
            try answer(server, file, 206, index, 250_000)
        }
        for peer in peers { #expect(try peer.readHeader().hasPrefix("HTTP/1.1 206 ")) }
        var parts = peers.map { _ in [UInt8]() }
        for _ in 0..<25 {
            for (index, peer) in peers.enumerated() { parts[index] += try peer.read(10_000) }
        }

        for (index, part) in parts.enumerated() { #expect(part == Array(bytes[index..<(index + 250_000)])) }
        file.isClosed()
    }

    // MARK: - Answers without a body

    @Test(arguments: [("HEAD", 200), ("GET", 304), ("GET", 204)])
    func anAnswerWithoutABodyClosesTheFile(method: String, status: Int) throws {
        let (server, file) = (try serve(.plain), TestFile(seed: 5, count: 1_000))
        let peer = try connect(server, .plain)
        peer.write(get(method, "Connection: close"))

        try answer(server, file, status, 0, 1_000)

        #expect(try peer.readAll().hasSuffix("\r\n\r\n"))
        file.isClosed()
    }

    @Test
    func anAnswerThatIsNotWantedClosesTheFile() throws {
        let (server, file) = (try serve(.plain), TestFile(seed: 6, count: 1_000))
        let peer = try connect(server, .plain)
        peer.write(get())
        let (id, _) = try server.request()
        let respond = {
            let part = FilePart(descriptor: file.descriptor(O_RDONLY), start: 0, count: 1_000)
            server.server.respond(to: $0, HTTPResponse(status: 200, file: part))
        }

        respond(id)
        _ = try peer.readHeader()
        respond(id)
        respond(RequestID(77))
        respond(RequestID(.max))
        file.isClosed()
        server.server.stop(grace: 0)
        respond(id)

        #expect(!file.isOpen)
    }

    // MARK: - Parts that break off

    @Test(arguments: Wire.allCases, [0, 100_000])
    func aFileThatIsShorterThanPromisedBreaksTheConnection(wire: Wire, count: Int) throws {
        let (server, file) = (try serve(wire), TestFile(seed: 7, count: count))
        let peer = try connect(server, wire)
        peer.write(get())

        try answer(server, file, 200, 0, count + 1)

        #expect(try peer.readHeader().contains("content-length: \(count + 1)\r\n"))
        #expect(throws: RawPeer.Failure.self) { try peer.read(count + 1) }
        server.isEmpty()
        file.isClosed()
    }

    @Test
    func aFileThatCannotBeReadBreaksTheConnection() throws {
        let (server, file) = (try serve(.plain), TestFile(seed: 8, count: 1_000))
        let peer = try connect(server, .plain)
        peer.write(get())
        let part = FilePart(descriptor: file.descriptor(O_WRONLY), start: 0, count: 1_000)

        server.server.respond(to: try server.request().0, HTTPResponse(status: 200, file: part))

        #expect(try peer.readHeader().contains("content-length: 1000\r\n"))
        #expect(try peer.readAll() == "")
        file.isClosed()
    }

    @Test(arguments: Wire.allCases)
    func aReaderThatBreaksOffClosesTheFile(wire: Wire) throws {
        let (server, file) = (try serve(wire), TestFile(seed: 9, count: 4_000_000))
        let peer = try connect(server, wire, receiveBuffer: 4096)
        peer.write(get())

        try answer(server, file, 200, 0, 4_000_000)
        _ = try peer.readHeader()
        _ = try peer.read(100_000)
        peer.reset()

        server.isEmpty()
        file.isClosed()
        #expect(server.server.statistics.answerBytesNow == 0)
    }

    @Test(arguments: Wire.allCases)
    func aReaderThatTakesNothingIsEnded(wire: Wire) throws {
        let (server, file) = (try serve(wire) { $0.stallSeconds = 0.3 }, TestFile(seed: 10, count: 4_000_000))
        let peer = try connect(server, wire, receiveBuffer: 4096)
        peer.write(get())

        try answer(server, file, 200, 0, 4_000_000)

        file.isClosed()
        server.isEmpty()
        withExtendedLifetime(peer) {}
    }

    /// Another connection, on which nothing comes, paces the reader.
    @Test(arguments: Wire.allCases)
    func aReaderThatTricklesIsEnded(wire: Wire) throws {
        let (server, file) = (try serve(wire) { $0.stallSeconds = 0.5 }, TestFile(seed: 12, count: 4_000_000))
        let (peer, idle) = (try connect(server, wire, receiveBuffer: 4096), try RawPeer(port: server.server.port))
        peer.write(get())

        try answer(server, file, 200, 0, 4_000_000)
        while file.isOpen {
            _ = idle.hasMore(within: 20)
            _ = try? peer.read(100)
        }

        #expect(throws: RawPeer.Failure.self) { try peer.read(4_000_000) }
    }

    @Test(arguments: Wire.allCases)
    func aStopEndsADownload(wire: Wire) throws {
        let (server, file) = (try serve(wire), TestFile(seed: 11, count: 4_000_000))
        let peer = try connect(server, wire, receiveBuffer: 4096)
        peer.write(get())
        try answer(server, file, 200, 0, 4_000_000)
        _ = try peer.readHeader()

        server.server.stop(grace: 0.1)

        #expect(!file.isOpen)
        #expect(throws: RawPeer.Failure.self) { try peer.read(4_000_000) }
    }

    // MARK: - Reads under way

    /// Has an answer read from a pipe, which is empty until the test writes.
    private func blocked(_ server: TestServer, _ peer: RawPeer, _ pipe: TestPipe) throws {
        peer.write(get())
        let part = FilePart(descriptor: dup(pipe.reader), start: .max, count: 1_000)  // where the pipe is
        server.server.respond(to: try server.request().0, HTTPResponse(status: 200, file: part))
        _ = try peer.readHeader()
    }

    @Test(arguments: Wire.allCases)
    func aReadOutlivesItsConnection(wire: Wire) throws {
        let server = try serve(wire) { $0.stallSeconds = 0.2 }
        let (peer, pipe) = (try connect(server, wire), TestPipe())
        try blocked(server, peer, pipe)

        #expect(try peer.readAll() == "")
        server.isEmpty()
        write(pipe.writer, "late", 4)

        while server.server.statistics.answerBytesNow > 0 { sched_yield() }
        #expect(try server.answers())
    }

    @Test(arguments: Wire.allCases)
    func aStopWaitsForARead(wire: Wire) throws {
        let server = try serve(wire)
        let (peer, pipe, stopped) = (try connect(server, wire), TestPipe(), DispatchSemaphore(value: 0))
        try blocked(server, peer, pipe)

        Thread {
            server.server.stop(grace: 0)
            stopped.signal()
        }.start()
        #expect(try peer.readAll() == "")
        write(pipe.writer, "late", 4)

        stopped.waitForEvent()
    }
}
