import ChatWire
import Locking
import Replicas
import TestSupport
import WebSocketTransport

/// Very many readers of the lobby's members, on one thread.
final class Herd: Sendable {
    fileprivate struct Reader {
        /// Diffs of the members that were news.
        var diffs = 0
        var revision: Revision = 0
    }

    fileprivate struct State {
        var client: WebSocketClient?
        var toConnect: Int
        var readers: [ConnectionID: Reader] = [:]
        var complaints: [String] = []
        /// Recent frames: all readers get the same bytes, so they are decoded once.
        var recent: [(bytes: [UInt8], frame: ServerFrame)] = []
        var goal: (revision: Revision, reached: CheckedContinuation<Void, Never>)?
        /// The number of readers that have yet to reach the goal.
        var remaining = 0
    }

    private let size: Int
    private let resume: Resume?
    private let port: UInt16
    private let state: Guarded<State>

    /// - Parameter held: the rows that everybody comes back with.
    init(_ size: Int, on port: UInt16, holding held: Replica<Member>?) throws {
        self.size = size
        self.port = port
        resume = held?.resume()
        state = Guarded(State(toConnect: size))
        let client = try WebSocketClient { [self] in handle($0) }
        state.withLock { $0.client = client }
        for _ in 0..<200 { try connect() }
    }

    /// Cuts all connections.
    func stop() {
        state.withLock { $0.client }?.stop()
        state.withLock { $0.client = nil }
    }

    /// Waits until all readers have reached a revision, without a gap.
    ///
    /// - Returns: the largest number of diffs that any of them got.
    func mostDiffs(upTo revision: Revision) async throws -> Int {
        await withCheckedContinuation { reached in
            state.withLock { state in
                state.goal = (revision, reached)
                state.remaining = size - state.readers.values.count { $0.revision >= revision }
            }
            checkGoal()
        }
        return try state.withLock { state in
            guard state.complaints.isEmpty else { throw Unexpected() }
            return state.readers.values.map(\.diffs).max() ?? 0
        }
    }

    private func connect() throws {
        guard let client = state.withLock({ $0.connectNext() }) else { return }
        _ = client.connect(to: try WebSocketURL("ws://127.0.0.1:\(port)/"))
    }

    private func handle(_ event: WebSocketClient.Event) {
        switch event {
        case .opened(let id):
            let (client, number) = state.withLock { ($0.client, $0.enter(id)) }
            for (ref, request) in requests(of: number).enumerated() {
                client?.send(ClientFrame(ref: UInt64(ref + 1), request: request).json, on: id)
            }
            try? connect()
        case .received(let id, let bytes):
            state.withLock { $0.receive(bytes, on: id) }
            checkGoal()
        case .failed(_, let why): state.withLock { $0.complaints.append(why) }
        case .closed: break
        }
    }

    private func requests(of number: Int) -> [ClientFrame.Request] {
        [
            .hello(.user(UserName("u\(number)")!)), .subscribe(lobby, limit: 50, resume: nil),
            .subscribe(lobbyMembers, limit: 50, resume: resume),
        ]
    }

    private func checkGoal() {
        let reached = state.withLock { $0.reachGoal() }
        reached?.resume()
    }
}

extension Herd.State {
    fileprivate mutating func connectNext() -> WebSocketClient? {
        guard toConnect > 0 else { return nil }
        toConnect -= 1
        return client
    }

    fileprivate mutating func enter(_ id: ConnectionID) -> Int {
        readers[id] = Herd.Reader()
        return readers.count
    }

    fileprivate mutating func receive(_ bytes: [UInt8], on id: ConnectionID) {
        guard let frame = frame(bytes), var reader = readers[id] else { return complaints.append("unreadable") }
        let before = reader.revision
        switch frame {
        case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Member>): reader.revision = snapshot.snapshot.revision
        case .diff(let ref, _, _, let diff as ListDiff<Member>):
            if ref == nil, reader.revision != diff.from { complaints.append("a gap at \(diff.from)") }
            if ref == nil { reader.diffs += 1 }
            reader.revision = diff.to
        case .error(_, let error): complaints.append(error.message)
        default: break
        }
        readers[id] = reader
        if let goal, before < goal.revision, reader.revision >= goal.revision { remaining -= 1 }
    }

    private mutating func frame(_ bytes: [UInt8]) -> ServerFrame? {
        if let known = recent.first(where: { $0.bytes == bytes }) { return known.frame }
        guard let frame = try? ServerFrame(json: bytes) else { return nil }
        recent.insert((bytes, frame), at: 0)
        if recent.count > 8 { recent.removeLast() }
        return frame
    }

    fileprivate mutating func reachGoal() -> CheckedContinuation<Void, Never>? {
        guard let goal, remaining == 0 else { return nil }
        self.goal = nil
        return goal.reached
    }
}
