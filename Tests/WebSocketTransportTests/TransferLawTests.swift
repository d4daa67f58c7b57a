import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import WebSocketTransport

/// Laws of uploads and downloads that are under way together, with handlers that answer on the loop's own thread.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct TransferLawTests {
    /// Receives each body into the file, and answers each `GET` with the file.
    private final class Files: Sendable {
        let file: TestFile
        let descriptor: Int32
        /// `nil` until the server has started.
        let server = Mutex<WebSocketServer?>(nil)
        /// The requests whose bodies are received, and those whose end was reported.
        let started = Mutex<[RequestID]>([])
        let ended = Mutex<[RequestID]>([])

        init(_ file: TestFile) {
            self.file = file
            descriptor = file.descriptor()
        }

        deinit {
            close(descriptor)
        }

        func handle(_ event: WebSocketServer.Event) {
            guard let server = server.withLock({ $0 }) else { return }
            switch event {
            case .request(let id, let request) where request.method == .put:
                guard server.saveBody(of: id, into: descriptor, at: 0) else { return }
                started.withLock { $0.append(id) }
            case .request(let id, _):
                let part = FilePart(descriptor: file.descriptor(O_RDONLY), start: 0, count: 100_000)
                server.respond(to: id, HTTPResponse(status: 200, file: part))
            case .bodySaved(let id, let count, let isWhole):
                ended.withLock { $0.append(id) }
                server.respond(to: id, HTTPResponse(status: isWhole ? 201 : 400, body: Array("\(count)".utf8)))
            default: break
            }
        }

        /// Lets the server go: it and its handler hold each other.
        func end() { server.withLock { $0 = nil } }
    }

    private func serve(_ wire: Wire, _ files: Files) throws -> TestServer {
        let certificate = wire == .tls ? try Wire.certificate : nil
        let server = try TestServer {
            $0.certificate = certificate
            $0.loops = 2
        } hearing: {
            files.handle($0)
        }
        files.server.withLock { $0 = server.server }
        return server
    }

    private func put(_ count: Int) -> [UInt8] {
        Array("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n".utf8)
    }

    /// Requests wait at the carrier while a body or a file is under way, and each is answered in its turn.
    @Test(arguments: Wire.allCases)
    func aConnectionCarriesTransferAfterTransfer(wire: Wire) throws {
        let files = Files(TestFile(seed: 1, count: 100_000))
        let server = try serve(wire, files)
        defer { files.end() }
        let (peer, body) = (try connect(server, wire), TestFile.bytes(seed: 2, count: 100_000))

        for number in 1...20 {
            peer.write(put(number * 1_000) + body.prefix(number * 1_000) + put(0))
            peer.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            for count in [number * 1_000, 0] {
                #expect(try peer.readHeader().hasPrefix("HTTP/1.1 201 "))
                #expect(try peer.read("\(count)".utf8.count) == Array("\(count)".utf8))
            }
            #expect(try peer.readHeader().hasPrefix("HTTP/1.1 200 "))
            #expect(try peer.read(100_000).starts(with: body.prefix(number * 1_000)))
        }

        #expect(server.server.statistics.accepted == 1)
    }

    /// Whatever peers do, and whenever the server stops: each body has one end, and each file is closed.
    @Test(arguments: Wire.allCases, UInt64(0)..<6)
    func eachBodyHasOneEnd(wire: Wire, seed: UInt64) throws {
        let files = Files(TestFile(seed: seed, count: 100_000))
        let server = try serve(wire, files)
        defer { files.end() }
        var random = SplitMix64(seed: seed)
        let body = TestFile.bytes(seed: seed, count: 300_000)
        var peers: [RawPeer] = []

        for _ in 0..<60 {
            let peer = try connect(server, wire, receiveBuffer: Bool.random(using: &random) ? 4096 : nil)
            let announced = Int.random(in: 0...400_000, using: &random)
            if Int.random(in: 0..<4, using: &random) == 0 {
                peer.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            } else {
                peer.write(put(announced) + body.prefix(min(announced, Int.random(in: 0...300_000, using: &random))))
            }
            switch Int.random(in: 0..<4, using: &random) {
            case 0: peer.reset()
            case 1: peer.finish()
            case 2: peers.removeAll { _ in Int.random(in: 0..<10, using: &random) == 0 }
            default: peers.append(peer)
            }
        }
        while files.started.withLock({ $0.count }) < 10 { sched_yield() }
        server.server.stop(grace: seed.isMultiple(of: 2) ? 0 : 0.05)

        let (started, ended) = (files.started.withLock { $0 }, files.ended.withLock { $0 })
        #expect(Set(started).count == started.count)
        #expect(ended.sorted { $0.rawValue < $1.rawValue } == started.sorted { $0.rawValue < $1.rawValue })
        #expect(server.server.statistics.answerBytesNow == 0)
        withExtendedLifetime(peers) {}
    }
}
