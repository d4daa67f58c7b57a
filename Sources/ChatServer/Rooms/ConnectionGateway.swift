import ChatRoom
import ChatWire
import WebSocketTransport

/// What rooms may do to connections: answer, attach to the outgoing log, send away.
///
/// Any thread; what one thread says about one connection arrives in its order.
struct ConnectionGateway: Sendable {
    let transport: WebSocketServer
    let sessions: Sessions
    let services = ServiceDesk()
    let metrics: Metrics

    /// Sends the answer to a command.
    func answer(_ reader: Reader, _ frame: ServerFrame) {
        metrics.answered(frame)
        guard !services.answer(reader, frame) else { return }
        let text = frame.json
        sessions.answered(reader.connection, costing: frame.isPage ? max(0, text.count - Allowances.pageBytes) : 0)
        transport.send(Frame(text: text), to: reader.connection)
    }

    /// Whether the reader's connection is open.
    func isThere(_ reader: Reader) -> Bool {
        sessions.has(reader.connection)
    }

    /// What the reader's token grants in a room by now.
    func grant(of reader: Reader, in room: RoomName) -> Role {
        sessions.role(of: reader.connection, in: room)
    }

    /// Sends what nobody asked for.
    func tell(_ reader: Reader, _ frame: ServerFrame) {
        transport.send(Frame(text: frame.json), to: reader.connection)
    }

    /// The connection is not subscribed to the list, whatever it thinks.
    func ended(_ reader: Reader, _ list: ListName, visit: UInt64) {
        sessions.ended(reader.connection, list, visit: visit)
    }

    /// A list has heard of a fresh token.
    func regranted(_ reader: Reader, ref: UInt64) {
        for case .answer(let frame) in sessions.regranted(reader.connection, ref: ref) {
            tell(reader, frame)
        }
    }

    /// Brings a reader to a revision and lets it follow the log from there.
    func attach(
        _ reader: Reader, to topic: TopicID, at revision: Revision, sending shared: SharedFrame, ref: UInt64?
    ) {
        if ref != nil { sessions.answered(reader.connection, costing: shared.count) }
        transport.attach(
            reader.connection, to: topic, at: revision, sending: ref.map(shared.answering) ?? shared.news)
    }

    func detach(_ reader: Reader, from topic: TopicID) {
        transport.detach(reader.connection, from: topic)
    }

    /// - Parameter moreFollow: more of the same batch, or ``release()``.
    func append(_ frame: Frame, to topic: TopicID, revision: Revision, onLoop loop: Int, moreFollow: Bool) {
        transport.append(frame, to: topic, revision: revision, onLoop: loop, moreFollow: moreFollow)
    }

    /// Everybody who reads the topic on a loop has fallen off it.
    func cut(_ topic: TopicID, onLoop loop: Int) {
        transport.cut(topic, onLoop: loop)
    }

    /// What `body` does leaves this thread at once.
    func together(_ body: () -> Void) {
        transport.together(body)
    }

    /// So many bytes more are kept for readers, or fewer.
    func hold(_ bytes: Int) {
        transport.hold(bytes)
    }

    /// A batch is published: what gathered may leave.
    func release() {
        transport.release()
    }

    /// Says why, then closes.
    func dismiss(_ reader: Reader, code: UInt16, _ error: WireError) {
        dismiss(reader.connection, code: code, reason: error.message, retryAfter: error.retryAfter)
    }

    func dismiss(_ connection: ConnectionID, code: UInt16, reason: String, retryAfter: Milliseconds? = nil) {
        metrics.closes.show("\(code)")
        let bye = ServerFrame.bye(code: code, reason: reason, retryAfter: retryAfter)
        transport.close(connection, sending: Frame(text: bye.json), code: code, reason: reason)
    }
}

extension ServerFrame {
    fileprivate var isPage: Bool {
        switch self {
        case .page, .audit: true
        default: false
        }
    }
}

extension Reader {
    init(_ connection: ConnectionID) {
        self.init(connection.rawValue)
    }

    var connection: ConnectionID {
        ConnectionID(rawValue)
    }
}
