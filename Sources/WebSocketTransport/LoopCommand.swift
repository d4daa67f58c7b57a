internal import CChatSocket

/// One command for an event loop: see ``WebSocketServer/submit(_:onLoop:moreFollow:)``.
///
/// A command for a closed connection has no effect.
package enum LoopCommand: Sendable {
    /// Sends one frame.
    case send(Frame, to: ConnectionID)
    /// Sends the frame, which brings the reader to the revision, and makes the connection a reader of the topic. A
    /// connection that already reads the topic starts over here.
    case attach(ConnectionID, to: TopicID, at: UInt64, sending: Frame?)
    case detach(ConnectionID, from: TopicID)
    /// Sends the frame to the topic's readers on the loop. It brings a reader to the revision.
    case append(Frame, to: TopicID, revision: UInt64)
    /// Breaks the sequence: the next frame does not follow the last one. Every reader of the topic on the loop falls
    /// off the log, and ``WebSocketServer/Event/behind(_:_:revision:)`` reports its revision.
    case cut(TopicID)
    /// Sends the connection's queued frames and the last frame, then closes it, with nothing in between. The reason is
    /// cut to 123 bytes.
    case close(ConnectionID, sending: Frame?, code: UInt16, reason: String)

    /// The size of the frame, its header included.
    package var byteCount: Int {
        switch self {
        case .send(let frame, _), .append(let frame, _, _): frame.byteCount
        case .attach(_, _, _, let frame), .close(_, let frame, _, _): frame?.byteCount ?? 0
        case .detach, .cut: 0
        }
    }

    /// The reason of a close.
    var reason: String? {
        if case .close(_, _, _, let reason) = self { reason } else { nil }
    }

    /// - Parameter reason: the C form of ``reason``.
    func raw(reason: UnsafePointer<CChar>?) -> chatsock_command {
        var raw = chatsock_command()
        switch self {
        case .send(let frame, let connection):
            (raw.kind, raw.conn, raw.frame) = (CHATSOCK_SEND, connection.rawValue, frame.raw)
        case .attach(let connection, let topic, let revision, let frame):
            (raw.kind, raw.conn, raw.topic) = (CHATSOCK_ATTACH, connection.rawValue, topic.rawValue)
            (raw.revision, raw.frame) = (revision, frame?.raw)
        case .detach(let connection, let topic):
            (raw.kind, raw.conn, raw.topic) = (CHATSOCK_DETACH, connection.rawValue, topic.rawValue)
        case .append(let frame, let topic, let revision):
            (raw.kind, raw.topic, raw.revision, raw.frame) = (CHATSOCK_APPEND, topic.rawValue, revision, frame.raw)
        case .cut(let topic):
            (raw.kind, raw.topic) = (CHATSOCK_CUT, topic.rawValue)
        case .close(let connection, let frame, let code, _):
            (raw.kind, raw.conn, raw.frame) = (CHATSOCK_CLOSE, connection.rawValue, frame?.raw)
            (raw.code, raw.reason) = (code, reason)
        }
        return raw
    }
}
