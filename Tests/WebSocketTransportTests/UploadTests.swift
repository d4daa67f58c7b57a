import Foundation
import Glibc
import TestSupport
import Testing
import WebSocketTransport

/// Bodies of `PUT` that are written into files.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct UploadTests {
    private typealias Received = (count: UInt64, isWhole: Bool)

    private func put(_ count: Int, _ more: String...) -> String {
        (["PUT /file HTTP/1.1", "Host: a", "Content-Length: \(count)"] + more + ["", ""]).joined(separator: "\r\n")
    }

    private func received(_ server: TestServer, _ id: RequestID) throws -> Received {
        try server.events.wait {
            if case .bodySaved(id, let count, let isWhole) = $0 { (count, isWhole) } else { nil }
        }
    }

    /// Sends the header of a `PUT`, and has its body received.
    private func begin(
        _ server: TestServer, _ peer: RawPeer, _ count: Int, into descriptor: Int32
    ) throws -> RequestID {
        peer.write(put(count))
        let (id, _) = try server.request()
        #expect(server.server.saveBody(of: id, into: descriptor, at: 0))
        return id
    }

    /// The same for a peer that has read everything when its body begins: more can only be an answer.
    private func beginAsked(
        _ server: TestServer, _ peer: RawPeer, _ count: Int, into descriptor: Int32
    ) throws -> RequestID {
        peer.write(put(count, "Expect: 100-continue"))
        let (id, _) = try server.request()
        #expect(server.server.saveBody(of: id, into: descriptor, at: 0))
        #expect(try peer.readHeader().hasPrefix("HTTP/1.1 100 "))
        return id
    }

    // MARK: - Whole bodies

    @Test(arguments: Wire.allCases, UInt64(0)..<3)
    func aBodyArrivesByteForByte(wire: Wire, seed: UInt64) throws {
        let (server, file) = (try serve(wire) { $0.maxBodyBytes = 10 }, TestFile(Array("1234567".utf8)))
        let (peer, descriptor) = (try connect(server, wire), file.descriptor())
        defer { close(descriptor) }
        var random = SplitMix64(seed: seed)
        let body = TestFile.bytes(seed: seed, count: 3_000_000 + Int.random(in: 0..<200_000, using: &random))

        peer.write(put(body.count))
        let (id, request) = try server.request()
        server.server.saveBody(of: id, into: descriptor, at: 7)
        var rest = body[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...200_000, using: &random))
            #expect(peer.write(Array(piece)))
            rest = rest.dropFirst(piece.count)
            #expect(server.server.statistics.answerBytesNow <= (64 << 10) + 1_000)
        }
        let received = try received(server, id)
        server.server.respond(to: id, HTTPResponse(status: 201))

        #expect(request.method == .put && request.bodyToCome == UInt64(body.count) && request.body.isEmpty)
        #expect(received == (UInt64(body.count), true))
        #expect(file.bytes == Array("1234567".utf8) + body)
        let header = try peer.readHeader()
        #expect(header.hasPrefix("HTTP/1.1 201 ") && header.contains("connection: keep-alive\r\n"))
        #expect(server.server.statistics.answerBytesNow <= 1_000)
    }

    @Test(arguments: Wire.allCases, [0, 1, 10_000])
    func requestsThatAreSentWithABodyAreAnsweredAfterIt(wire: Wire, count: Int) throws {
        let (server, file) = (try serve(wire), TestFile())
        let (peer, descriptor) = (try connect(server, wire), file.descriptor())
        defer { close(descriptor) }
        let body = TestFile.bytes(seed: 1, count: count)

        peer.write(Array(put(count).utf8) + body + Array(put(count).utf8) + body + Array("GET /next HTTP/1.1\r\n".utf8))
        peer.write("Host: a\r\nConnection: close\r\n\r\n")
        for _ in 0..<2 {
            let (id, _) = try server.request()
            server.server.saveBody(of: id, into: descriptor, at: 0)
            #expect(try received(server, id) == (UInt64(count), true))
            server.server.respond(to: id, HTTPResponse(status: 201))
        }
        let (id, request) = try server.request()
        server.server.respond(to: id, HTTPResponse(status: 200, body: Array("next".utf8)))

        #expect(file.bytes == body && request.path == "/next" && request.bodyToCome == 0)
        let answers = try peer.readAll()
        #expect(answers.components(separatedBy: "HTTP/1.1 201 ").count == 3)
        #expect(answers.hasSuffix("\r\n\r\nnext"))
    }

    @Test(arguments: Wire.allCases)
    func aClientThatExpectsToBeAskedIsAskedOnceItsBodyIsWanted(wire: Wire) throws {
        let (server, file) = (try serve(wire), TestFile())
        let (peer, descriptor) = (try connect(server, wire), file.descriptor())
        defer { close(descriptor) }

        peer.write(put(4, "Expect: 100-continue"))
        let (id, _) = try server.request()
        server.server.saveBody(of: id, into: descriptor, at: 0)
        #expect(try peer.readHeader() == "HTTP/1.1 100 Continue\r\n\r\n")
        peer.write("body")

        #expect(try received(server, id) == (4, true))
        server.server.respond(to: id, HTTPResponse(status: 201))
        #expect(try peer.readHeader().hasPrefix("HTTP/1.1 201 "))
    }

    @Test(arguments: Wire.allCases)
    func aClientThatIsNotAskedGetsItsAnswer(wire: Wire) throws {
        let server = try serve(wire)
        let peer = try connect(server, wire)

        peer.write(put(4, "Expect: 100-continue"))
        server.server.respond(to: try server.request().0, HTTPResponse(status: 403))

        let answer = try peer.readAll()
        #expect(answer.hasPrefix("HTTP/1.1 403 ") && answer.contains("connection: close\r\n"))
    }

    @Test(arguments: Wire.allCases)
    func aPeerThatHasEndedItsSideGetsItsAnswer(wire: Wire) throws {
        let (server, file) = (try serve(wire), TestFile())
        let (peer, descriptor) = (try connect(server, wire), file.descriptor())
        defer { close(descriptor) }
        let body = TestFile.bytes(seed: 2, count: 100_000)

        let id = try begin(server, peer, body.count, into: descriptor)
        peer.write(body)
        peer.finish()

        #expect(try received(server, id) == (100_000, true))
        server.server.respond(to: id, HTTPResponse(status: 201, body: Array("stored".utf8)))
        #expect(try peer.readAll().hasSuffix("stored"))
    }

    /// Each body goes into a file of its own, and all are under way at once.
    @Test(arguments: Wire.allCases)
    func manyBodiesArriveAtOnce(wire: Wire) throws {
        let server = try serve(wire) { $0.loops = 2 }
        let peers = try (0..<40).map { _ in try connect(server, wire) }
        let files = peers.map { _ in TestFile() }
        let bodies = peers.indices.map { TestFile.bytes(seed: UInt64($0), count: 100_000 + $0) }
        var ids: [RequestID] = []
        let descriptors = files.map { $0.descriptor() }
        defer { for descriptor in descriptors { close(descriptor) } }

        for (index, peer) in peers.enumerated() {
            ids.append(try begin(server, peer, bodies[index].count, into: descriptors[index]))
        }
        for start in stride(from: 0, to: 100_040, by: 20_000) {
            for (peer, body) in zip(peers, bodies) { peer.write(Array(body.dropFirst(start).prefix(20_000))) }
        }

        for (index, id) in ids.enumerated() {
            #expect(try received(server, id) == (UInt64(bodies[index].count), true))
            #expect(files[index].bytes == bodies[index])
        }
    }

    // MARK: - Bodies that break off

    @Test(arguments: Wire.allCases)
    func lessThanWasAnnouncedIsReportedAsSuch(wire: Wire) throws {
        let (server, file) = (try serve(wire), TestFile())
        let (peer, descriptor) = (try connect(server, wire), file.descriptor())
        defer { close(descriptor) }
        let body = TestFile.bytes(seed: 3, count: 300_000)

        let id = try begin(server, peer, body.count + 1, into: descriptor)
        peer.write(body)
        peer.finish()

        #expect(try received(server, id) == (300_000, false))
        #expect(file.bytes == body)
        server.isEmpty()
        #expect(server.server.statistics.answerBytesNow == 0)
    }

    @Test(arguments: Wire.allCases)
    func aPeerThatBreaksOffIsReportedOnce(wire: Wire) throws {
        let (server, file) = (try serve(wire), TestFile())
        let (peer, descriptor) = (try connect(server, wire), file.descriptor())
        defer { close(descriptor) }

        let id = try begin(server, peer, 1 << 30, into: descriptor)
        for _ in 0..<20 { peer.write([UInt8](repeating: 0x61, count: 100_000)) }
        peer.reset()

        let received = try received(server, id)
        #expect(!received.isWhole && received.count == UInt64(file.count))
        server.isEmpty()
        server.server.respond(to: id, HTTPResponse(status: 201))  // does nothing
        #expect(try server.answers())
        #expect(!server.events.remaining.contains { if case .bodySaved = $0 { true } else { false } })
    }

    @Test(arguments: Wire.allCases)
    func aPeerThatStallsIsToldSo(wire: Wire) throws {
        let (server, file) = (try serve(wire) { $0.stallSeconds = 0.3 }, TestFile())
        let (peer, descriptor) = (try connect(server, wire), file.descriptor())
        defer { close(descriptor) }

        let id = try begin(server, peer, 2_000, into: descriptor)
        peer.write([UInt8](repeating: 0x61, count: 1_000))

        #expect(try received(server, id) == (1_000, false))
        #expect(try peer.readAll().hasPrefix("HTTP/1.1 408 "))
    }

    @Test(arguments: Wire.allCases)
    func aPeerThatTricklesIsEnded(wire: Wire) throws {
        let settings = { (settings: inout WebSocketServerConfiguration) in
            settings.stallSeconds = 0.5
            settings.closeSeconds = 0.3
        }
        let (server, file) = (try serve(wire, settings), TestFile())
        let (peer, descriptor) = (try connect(server, wire), file.descriptor())
        defer { close(descriptor) }

        let id = try beginAsked(server, peer, 1 << 20, into: descriptor)
        while !peer.hasMore(within: 20) { peer.write("a") }

        #expect(try !received(server, id).isWhole)
        server.isEmpty()
    }

    /// A body may take longer than a stall and than the time for other bodies, as long as it goes on.
    @Test(arguments: Wire.allCases)
    func aBodyThatGoesOnMayTakeLong(wire: Wire) throws {
        let settings = { (settings: inout WebSocketServerConfiguration) in
            settings.stallSeconds = 1
            settings.requestSeconds = 0.5
        }
        let (server, file) = (try serve(wire, settings), TestFile())
        let (peer, descriptor) = (try connect(server, wire), file.descriptor())
        defer { close(descriptor) }

        let id = try beginAsked(server, peer, 30 * 32_768, into: descriptor)
        for _ in 0..<30 {
            peer.write([UInt8](repeating: 0x61, count: 32_768))
            #expect(!peer.hasMore(within: 50))
        }

        #expect(try received(server, id) == (30 * 32_768, true))
    }

    // MARK: - Answers without the body

    @Test(arguments: Wire.allCases)
    func aBodyThatIsNotReadEndsItsConnectionAfterTheAnswer(wire: Wire) throws {
        let server = try serve(wire)
        let peer = try connect(server, wire)

        peer.write(put(200_000))
        let (id, _) = try server.request()
        server.server.respond(to: id, HTTPResponse(status: 403, body: Array("no".utf8)))
        peer.write([UInt8](repeating: 0x61, count: 200_000))
        peer.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")

        let answer = try peer.readAll()
        #expect(answer.hasPrefix("HTTP/1.1 403 ") && answer.contains("connection: close\r\n"))
        #expect(answer.hasSuffix("\r\n\r\nno"))
        #expect(server.server.statistics.requests == 1)
    }

    @Test(arguments: Wire.allCases)
    func anEarlyAnswerEndsTheTransfer(wire: Wire) throws {
        let (server, file) = (try serve(wire), TestFile())
        let (peer, descriptor) = (try connect(server, wire), file.descriptor())
        defer { close(descriptor) }

        let id = try begin(server, peer, 200_000, into: descriptor)
        peer.write([UInt8](repeating: 0x61, count: 100_000))
        while file.count < 100_000 { sched_yield() }
        server.server.respond(to: id, HTTPResponse(status: 429))

        #expect(try received(server, id) == (100_000, false))
        let answer = try peer.readAll()
        #expect(answer.hasPrefix("HTTP/1.1 429 ") && answer.contains("connection: close\r\n"))
    }

    @Test(arguments: [("/dev/full", O_WRONLY), ("/dev/null", O_RDONLY)])
    func aFileThatTakesNothingIsReported(path: String, access: Int32) throws {
        let server = try serve(.plain)
        let (peer, descriptor) = (try connect(server, .plain), open(path, access))
        defer { close(descriptor) }

        let id = try begin(server, peer, 200_000, into: descriptor)
        peer.write([UInt8](repeating: 0x61, count: 200_000))

        #expect(try received(server, id) == (0, false))
        server.server.respond(to: id, HTTPResponse(status: 507))
        let answer = try peer.readAll()
        #expect(answer.hasPrefix("HTTP/1.1 507 ") && answer.contains("connection: close\r\n"))
    }

    @Test(arguments: Wire.allCases)
    func aBodyIsReceivedOnlyOnceAndOnlyOfAPUT(wire: Wire) throws {
        let (server, file) = (try serve(wire), TestFile())
        let (peer, descriptor) = (try connect(server, wire), file.descriptor())
        defer { close(descriptor) }
        let (other, nobody) = (try connect(server, wire), RequestID(5 << 24))

        let id = try begin(server, peer, 4, into: descriptor)
        server.server.saveBody(of: id, into: descriptor, at: 0)
        #expect(try received(server, id) == (0, false))
        peer.write("body")
        #expect(try received(server, id) == (4, true))
        server.server.saveBody(of: id, into: descriptor, at: 0)
        #expect(try received(server, id) == (0, false))
        other.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let (get, _) = try server.request()
        server.server.saveBody(of: get, into: descriptor, at: 0)
        #expect(try received(server, get) == (0, false))
        server.server.saveBody(of: nobody, into: descriptor, at: 0)
        #expect(try received(server, nobody) == (0, false))
        server.server.respond(to: id, HTTPResponse(status: 201))

        #expect(try peer.readHeader().hasPrefix("HTTP/1.1 201 "))
        #expect(file.bytes == Array("body".utf8))
    }

    @Test(arguments: [
        ("PUT / HTTP/1.1\r\nHost: a\r\n\r\n", "411"),
        ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", "400"),
        ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "411"),
        ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: more\r\n\r\n", "417"),
        ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nUpgrade: websocket\r\n\r\n", "405"),
    ])
    func aBodyWithoutAPlainLengthIsRefused(request: String, status: String) throws {
        let server = try serve(.plain)
        let peer = try connect(server, .plain)

        peer.write(request)

        #expect(try peer.readAll().hasPrefix("HTTP/1.1 \(status) "))
    }

    // MARK: - Writes under way

    /// The pipe lets the write wait until the test reads.
    private func blocked(_ server: TestServer, _ peer: RawPeer, _ pipe: TestPipe) throws -> RequestID {
        peer.write(put(100_000))
        let (id, _) = try server.request()
        peer.write([UInt8](repeating: 0x61, count: 10_000))
        server.server.saveBody(of: id, into: pipe.writer, at: .max)  // where the pipe is: it has no other places
        #expect(pipe.read(1) == [0x61])
        return id
    }

    @Test(arguments: Wire.allCases)
    func aWriteOutlivesItsConnection(wire: Wire) throws {
        let server = try serve(wire) {
            $0.stallSeconds = 0.3
            $0.closeSeconds = 0.1
        }
        let (peer, pipe) = (try connect(server, wire), TestPipe())
        let id = try blocked(server, peer, pipe)

        #expect(try peer.readAll().hasPrefix("HTTP/1.1 503 "))
        server.isEmpty()
        #expect(!server.events.remaining.contains { if case .bodySaved = $0 { true } else { false } })
        #expect(pipe.read(9_999).count == 9_999)

        #expect(try received(server, id) == (10_000, false))
    }

    @Test(arguments: Wire.allCases)
    func aPeerThatBreaksOffDuringAWriteIsReportedAfterIt(wire: Wire) throws {
        let server = try serve(wire)
        let (peer, pipe) = (try connect(server, wire), TestPipe())
        let id = try blocked(server, peer, pipe)

        peer.reset()
        #expect(pipe.read(9_999).count == 9_999)

        #expect(try received(server, id) == (10_000, false))
        server.isEmpty()
    }

    @Test(arguments: Wire.allCases)
    func anEarlyAnswerDoesNotWaitForAWrite(wire: Wire) throws {
        let server = try serve(wire) { $0.closeSeconds = 0.1 }
        let (peer, pipe) = (try connect(server, wire), TestPipe())
        let id = try blocked(server, peer, pipe)

        server.server.respond(to: id, HTTPResponse(status: 429))
        #expect(try peer.readAll().hasPrefix("HTTP/1.1 429 "))
        #expect(!server.events.remaining.contains { if case .bodySaved = $0 { true } else { false } })
        #expect(pipe.read(9_999).count == 9_999)

        #expect(try received(server, id) == (10_000, false))
    }

    @Test(arguments: Wire.allCases)
    func aStopWaitsForAWrite(wire: Wire) throws {
        let server = try serve(wire)
        let (peer, pipe, stopped) = (try connect(server, wire), TestPipe(), DispatchSemaphore(value: 0))
        let id = try blocked(server, peer, pipe)

        Thread {
            server.server.stop(grace: 0)
            stopped.signal()
        }.start()
        #expect(try peer.readAll() == "")
        _ = pipe.read(9_999)

        #expect(try received(server, id) == (10_000, false))
        stopped.waitForEvent()
        #expect(!server.server.saveBody(of: id, into: pipe.writer, at: 0))
    }

    @Test(arguments: Wire.allCases)
    func aStopEndsABodyThatIsUnderWay(wire: Wire) throws {
        let (server, file) = (try serve(wire), TestFile())
        let (peer, descriptor) = (try connect(server, wire), file.descriptor())
        defer { close(descriptor) }
        let id = try begin(server, peer, 200_000, into: descriptor)
        peer.write([UInt8](repeating: 0x61, count: 100_000))
        while file.count < 100_000 { sched_yield() }

        server.server.stop(grace: 0.1)

        let ends = server.events.remaining.filter { if case .bodySaved = $0 { true } else { false } }
        #expect(ends.count == 1)
        #expect(try received(server, id) == (100_000, false))
    }
}
