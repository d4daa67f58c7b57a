package import ChatWire
import Locking
import WebSocketTransport

/// WebSocket connections for tests, which wait for events and never sleep.
package final class Connections: Sendable {
    package enum Incoming: Equatable, Sendable {
        case opened
        case text(String)
        case closed(UInt16)
        case failed(String)
    }

    private final class Streams: Sendable {
        private let open = Guarded<[ConnectionID: (AsyncStream<Incoming>, AsyncStream<Incoming>.Continuation)]>([:])

        /// The connection's stream, made by the first caller: an event may come before its receiver.
        func stream(_ id: ConnectionID) -> (AsyncStream<Incoming>, AsyncStream<Incoming>.Continuation) {
            open.withLock { open in
                if let stream = open[id] { return stream }
                let stream = AsyncStream<Incoming>.makeStream()
                open[id] = stream
                return stream
            }
        }

        func yield(_ incoming: Incoming, on id: ConnectionID) {
            stream(id).1.yield(incoming)
        }
    }

    private let streams: Streams
    private let client: WebSocketClient

    package init() throws {
        let streams = Streams()
        self.streams = streams
        var configuration = WebSocketClient.Configuration()
        // A connection that reads nothing for a while on purpose must not take the server for silent.
        configuration.heartbeatSeconds = 300
        client = try WebSocketClient(configuration: configuration) { event in
            switch event {
            case .opened(let id): streams.yield(.opened, on: id)
            case .received(let id, let bytes): streams.yield(.text(String(decoding: bytes, as: UTF8.self)), on: id)
            case .closed(let id, let code, _): streams.yield(.closed(code), on: id)
            case .failed(let id, let why): streams.yield(.failed(why), on: id)
            }
        }
    }

    package func connect(to port: UInt16, host: String = "127.0.0.1", path: String = "/") throws -> Connection {
        let id = client.connect(to: try WebSocketURL("ws://\(host):\(port)\(path)"))
        return Connection(id, client, streams.stream(id).0)
    }

    /// Closes everything.
    package func stop() {
        client.stop()
    }
}

/// One connection, for one task.
package final class Connection {
    private let id: ConnectionID
    private let client: WebSocketClient
    private var incoming: AsyncStream<Connections.Incoming>.Iterator
    private var lastRef: UInt64 = 0

    init(_ id: ConnectionID, _ client: WebSocketClient, _ incoming: AsyncStream<Connections.Incoming>) {
        self.id = id
        self.client = client
        self.incoming = incoming.makeAsyncIterator()
    }

    package func send(_ text: String) {
        client.send(Array(text.utf8), on: id)
    }

    /// Sends the request; returns its `ref`.
    @discardableResult
    package func send(_ request: ClientFrame.Request) -> UInt64 {
        lastRef += 1
        client.send(ClientFrame(ref: lastRef, request: request).json, on: id)
        return lastRef
    }

    package func close() {
        client.close(id, code: 1000, reason: "")
    }

    package func pauseReading() {
        client.pauseReading(id)
    }

    package func resumeReading() {
        client.resumeReading(id)
    }

    /// Returns the next event after the opening.
    package func next() async throws -> Connections.Incoming {
        guard let incoming = await incoming.next() else { throw ConnectionError.ended }
        return incoming == .opened ? try await next() : incoming
    }

    /// The next frame.
    package func frame() async throws -> ServerFrame {
        let incoming = try await next()
        guard case .text(let text) = incoming else { throw ConnectionError.noFrame(incoming) }
        return try ServerFrame(json: Array(text.utf8))
    }

    /// Sends a request and returns its answer, skipping news.
    package func answer(to request: ClientFrame.Request) async throws -> ServerFrame {
        let ref = send(request)
        while true {
            let frame = try await frame()
            if frame.ref == ref { return frame }
        }
    }

    /// Returns the next diff, skipping answers.
    package func diff() async throws -> ListDiff<Message> {
        while true {
            if case .diff(nil, _, _, let diff as ListDiff<Message>) = try await frame() { return diff }
        }
    }

    /// The diffs from here to the one that reaches `revision`.
    package func diffs(upTo revision: Revision) async throws -> [ListDiff<Message>] {
        var diffs = [try await diff()]
        while let last = diffs.last, last.to < revision { diffs.append(try await diff()) }
        return diffs
    }
}

package enum ConnectionError: Error {
    /// The stream has ended.
    case ended
    /// Something else came.
    case noFrame(Connections.Incoming)
}
