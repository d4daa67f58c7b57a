import ChatRoom
import ChatWire

/// A server with one room and perfect memory: it keeps its history through every restart, and puts what it says into a
/// queue for each connection.
struct SimulatedServer {
    struct Connection {
        var user: UserName?
        /// Where the reader stands; `nil` before it has subscribed.
        var revision: Revision?
        var outgoing: [ServerFrame] = []
    }

    static let room = RoomName("lobby")!
    static let list = ListName.messages(room)

    var epoch = Epoch("first")!
    var limits = WireLimits()
    private(set) var connections: [Int: Connection] = [:]
    /// Carried out, in order.
    private(set) var log: [Operation] = []
    private var timeline = SimulatedServer.empty
    private var rows: [MessageID: Message] = [:]
    private var done: [CommandID: (Operation, Revision)] = [:]

    private static var empty: RoomTimeline {
        RoomTimeline(RoomReading(revision: 0, count: 0, tail: [], changes: .all([])), changesSince: 0)
    }

    var messages: [Message] { Array(timeline.tail) }
    var proof: ListProof { timeline.proof }
    var revision: Revision { timeline.revision }

    mutating func accept(_ connection: Int) { connections[connection] = Connection() }
    mutating func drop(_ connection: Int) { connections[connection] = nil }
    mutating func takeFrame(for connection: Int) -> ServerFrame? {
        guard connections[connection]?.outgoing.isEmpty == false else { return nil }
        return connections[connection]?.outgoing.removeFirst()
    }

    /// History is lost: nothing is there any more, and it is said.
    mutating func loseHistory() {
        epoch = Epoch(epoch.description + "'")!
        timeline = Self.empty
        rows = [:]
        done = [:]
        log = []
        connections = [:]
    }

    mutating func say(_ frame: ServerFrame, on connection: Int) {
        connections[connection]?.outgoing.append(frame)
    }

    mutating func receive(_ frame: ClientFrame, on connection: Int) {
        let ref = frame.ref
        switch frame.request {
        case .hello(let credential):
            guard case .user(let user) = credential else { return }
            connections[connection]?.user = user
            let welcome = Welcome(user: user, server: "simulated", heartbeat: 25_000, limits: limits)
            say(.welcome(ref: ref, welcome), on: connection)
        case .subscribe(_, let limit, let resume): subscribe(connection, ref, limit, resume)
        case .unsubscribe:
            connections[connection]?.revision = nil
            say(.ok(ref: ref, nil), on: connection)
        case .page(_, let before, let limit):
            let older = timeline.tail.filter { $0.sort < before }
            let page = ListPage(
                revision: timeline.revision, rows: sectioned(older.suffix(limit), .max), more: older.count > limit)
            say(.page(ref: ref, Self.list, epoch, page), on: connection)
        case .ping: say(.pong(ref: ref), on: connection)
        case .typing, .read: say(.ok(ref: ref, nil), on: connection)
        case .send(_, let id, let text, let replyTo): operate(connection, ref, id, .send(text: text, replyTo: replyTo))
        case .edit(_, let command, let id, let text): operate(connection, ref, command, .edit(id, text: text))
        case .delete(_, let command, let id): operate(connection, ref, command, .delete(id))
        case .react(_, let command, let id, let emoji, let direction):
            operate(connection, ref, command, .react(id, emoji: emoji, direction))
        }
    }

    /// The diff from where a reader stands to the end, where it then stands; `nil` if it stands there, or is no reader.
    mutating func takeDiff(for connection: Int) -> ListDiff<Message>? {
        guard let base = connections[connection]?.revision, base < timeline.revision else { return nil }
        connections[connection]?.revision = timeline.revision
        return timeline.diff(since: base)
    }
}

extension SimulatedServer {
    private mutating func subscribe(_ connection: Int, _ ref: UInt64, _ limit: Int, _ resume: Resume?) {
        connections[connection]?.revision = timeline.revision
        let isKnown = resume?.epoch == epoch
        if isKnown, let resume, let diff = timeline.diff(since: resume.revision), diff.changeCount < 20 {
            return say(.diff(ref: ref, Self.list, epoch, diff), on: connection)
        }
        let joined = isKnown ? resume?.joined ?? timeline.revision : timeline.revision
        guard var snapshot = timeline.snapshot(limit: limit) else { return }
        snapshot.rows = sectioned(snapshot.rows[...], joined)
        let why: ServerFrame.SnapshotReason = resume == nil ? .fresh : isKnown ? .smaller : .epoch
        let answer = ServerFrame.MessageSnapshot(epoch: epoch, joined: joined, why: why, snapshot: snapshot)
        say(.snapshot(ref: ref, Self.list, answer), on: connection)
    }

    private func sectioned(_ rows: ArraySlice<Message>, _ joined: Revision) -> [Message] {
        rows.map { row in
            var row = row
            row.section = row.sort <= joined ? .history : .socket
            return row
        }
    }

    private mutating func operate(_ connection: Int, _ ref: UInt64, _ command: CommandID, _ action: Operation.Action) {
        guard let user = connections[connection]?.user else { return }
        let operation = Operation(command: command, author: user, time: 0, action: action)
        if let (first, revision) = done[command] {
            precondition(first.repeats(operation), "command \(command) was used for two things")
            return say(.ok(ref: ref, .init(list: Self.list, revision: revision)), on: connection)
        }
        do throws(Refusal) {
            let revision = timeline.revision + 1
            let change = try operation.fold(onto: rows[operation.message], at: revision, limits: limits)
            timeline.apply(change, at: revision)
            remember(change)
            done[command] = (operation, revision)
            log.append(operation)
            say(.ok(ref: ref, .init(list: Self.list, revision: revision)), on: connection)
        } catch {
            say(.error(ref: ref, WireError(.notFound, "\(error)")), on: connection)
        }
    }

    private mutating func remember(_ change: RowChange) {
        switch change {
        case .inserted(let row), .reloaded(let row), .reconfigured(let row): rows[row.id] = row
        case .deleted(let id): rows[id] = nil
        case .nothing: break
        }
    }
}
