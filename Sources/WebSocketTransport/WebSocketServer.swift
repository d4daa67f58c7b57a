internal import CChatSocket

/// A WebSocket and HTTP server made for fan-out: connections are readers of outgoing logs.
///
/// Every call from outside puts a command on the queue of a loop and returns at once. Calls from one thread for one
/// loop keep their order. Calls for connections that are gone do nothing.
///
/// - Errors: the connection of a peer that breaks the protocol or a limit is closed, with the code that
///   ``WebSocketServerConfiguration`` names. The application only sees ``Event/closed(_:code:)``.
/// - Complexity: ``LoopCommand/append(_:to:revision:)`` costs one copy for each loop. For each reader it costs a share
///   of one system call per turn of the loop, however many frames the call carries, and no memory, however slow the
///   reader.
package final class WebSocketServer: @unchecked Sendable {
    // @unchecked: `raw` never changes, every C function called with it takes calls from any thread until
    // `chatsock_free`, and only `deinit` calls that.
    let raw: OpaquePointer

    package enum Event: Sendable {
        case opened(ConnectionID, Peer)
        /// A complete message in valid UTF-8.
        case received(ConnectionID, [UInt8])
        /// A message was longer than ``WebSocketServerConfiguration/maxFrameBytes``. Its connection stays open.
        case oversized(ConnectionID, OversizedMessage)
        /// The reader fell off the topic's log, holding `revision`. It gets nothing of the topic until it is attached
        /// again.
        case behind(ConnectionID, TopicID, revision: UInt64)
        /// Once for each `opened`. 1005: closed without a code. 1006: the connection broke.
        case closed(ConnectionID, code: UInt16)
        /// The loop has no more events for now. Once after one or more `received`, `oversized`, `behind` and `closed`
        /// of the loop, before it writes or sleeps.
        case turnEnded(loop: Int)
        case request(RequestID, HTTPRequest)
        /// Once for each ``saveBody(of:into:at:)``: so many bytes of the body are in the file, and nothing uses its
        /// descriptor any more. It is not whole when the peer broke off or stalled, a write failed, or the server
        /// stopped.
        case bodySaved(RequestID, count: UInt64, isWhole: Bool)
        /// The answer to ``peek(at:ticket:)``. It is empty for a connection that is gone.
        case peeked(ConnectionID, Backlog, ticket: UInt64)
        /// The memory budget is used up: release what was reported by ``hold(_:)``.
        case pressed
        /// A line of warning, of libwebsockets or about a peer that was refused: printable and rate limited.
        case log(String)
    }

    /// The port that it listens on.
    package let port: UInt16
    package let loopCount: Int

    /// Starts listening.
    ///
    /// - Parameter handler: Runs on a loop's thread and must not block. It is released when the server has stopped.
    package init(
        configuration: WebSocketServerConfiguration, handler: @escaping @Sendable (Event) -> Void
    ) throws(TransportError) {
        try configuration.certificate?.check()
        let context = Unmanaged.passRetained(ServerSink(handler)).toOpaque()  // +1, balanced by `released`
        var events = serverEvents
        var error = CHATSOCK_OK
        var detail: Int32 = 0
        let server = configuration.withRaw { chatsock_listen(&$0, &events, context, &error, &detail) }
        guard let server else {
            throw TransportError(error, host: configuration.host, port: configuration.port, detail: detail)
        }
        raw = server
        port = chatsock_port(server)
        loopCount = Int(chatsock_loop_count(server))
    }

    deinit {
        chatsock_free(raw)
    }

    /// True on the thread of an event loop. Code on such a thread must not wait.
    package static var isOnEventLoop: Bool {
        chatsock_is_on_loop()
    }

    /// Submits commands to a loop. The loop runs all of them, in order, before it writes to sockets. A submission takes
    /// one lock and wakes the loop at most once.
    ///
    /// - Parameter moreFollow: corks the appended frames, so that they leave together with those that are appended
    ///   next, or at ``uncork(loop:)``. The cork lasts at most a millisecond, or four times the duration of the last
    ///   round of writing if that is longer, but never more than 20 ms.
    package func submit(_ commands: [LoopCommand], onLoop loop: Int, moreFollow: Bool = false) {
        withCStrings(commands.compactMap(\.reason)) { reasons in
            var reasons = reasons[...]
            let raw = commands.map { $0.raw(reason: $0.reason == nil ? nil : reasons.popFirst()) }
            withExtendedLifetime(commands) {
                chatsock_submit(self.raw, UInt32(loop), raw, raw.count, moreFollow)
            }
        }
    }

    /// Ends the cork of a loop: no more frames follow that must leave together with the corked ones.
    package func uncork(loop: Int) {
        chatsock_submit(raw, UInt32(loop), nil, 0, false)
    }

    /// Sends one frame.
    package func send(_ frame: Frame, to connection: ConnectionID) {
        submit([.send(frame, to: connection)], onLoop: connection.loop)
    }

    /// Closes one connection, as ``LoopCommand/close(_:sending:code:reason:)`` describes.
    package func close(_ connection: ConnectionID, sending last: Frame? = nil, code: UInt16, reason: String) {
        submit([.close(connection, sending: last, code: code, reason: reason)], onLoop: connection.loop)
    }

    /// Requests the ``Backlog`` of a connection from its loop. ``Event/peeked(_:_:ticket:)`` is the answer.
    package func peek(at connection: ConnectionID, ticket: UInt64) {
        chatsock_peek(raw, connection.rawValue, ticket)
    }

    /// Adds bytes, or with a negative number removes them, that the application keeps and that count against the
    /// budget.
    package func hold(_ bytes: Int) {
        chatsock_hold(raw, Int64(bytes))
    }

    /// True while the memory budget is used up: nothing is to be made now that can wait. Any thread.
    package var isOverBudget: Bool { chatsock_is_over_budget(raw) }

    /// Writes the body of a `PUT` into a file, from `offset` on. ``Event/bodySaved(_:count:isWhole:)`` follows, also
    /// for a request that is gone; the caller closes the descriptor after it. An answer that comes earlier ends the
    /// transfer.
    ///
    /// - Returns: False when the server has stopped. Then no event follows.
    @discardableResult
    package func saveBody(of request: RequestID, into descriptor: Int32, at offset: UInt64) -> Bool {
        chatsock_save_body(raw, request.rawValue, descriptor, offset)
    }

    /// Answers a request, once. The connection of a `PUT` whose body was not received whole ends after its answer.
    package func respond(to request: RequestID, _ response: HTTPResponse) {
        response.withRaw { response in
            withUnsafePointer(to: response) { chatsock_respond(raw, request.rawValue, $0) }
        }
    }

    /// Changes the limit of connections; 0: as many as the descriptor limit allows. Open connections stay.
    package func limitConnections(to count: Int) {
        chatsock_limit_connections(raw, UInt32(clamping: count))
    }

    /// Closes the listening socket. Connections stay.
    package func stopAccepting() {
        chatsock_stop_accepting(raw)
    }

    /// Closes every connection with 1001, waits for them at most about `seconds`, then for all threads to end.
    ///
    /// Not from inside the handler. Afterwards every call does nothing.
    package func stop(grace seconds: Double) {
        chatsock_stop(raw, milliseconds(seconds))
    }

    package var statistics: TransportStatistics {
        TransportStatistics(chatsock_statistics(raw))
    }
}

private typealias ServerSink = EventSink<WebSocketServer.Event>

private let serverEvents = chatsock_events(  // C functions: they capture nothing
    opened: { ServerSink.deliver(.opened(ConnectionID($1), Peer($2.pointee)), at: $0) },
    received: { context, connection, bytes, count in
        let message = Array(UnsafeBufferPointer(start: bytes, count: count))  // borrowed: the only copy
        ServerSink.deliver(.received(ConnectionID(connection), message), at: context)
    },
    oversized: { ServerSink.deliver(.oversized(ConnectionID($1), OversizedMessage($2.pointee)), at: $0) },
    behind: { ServerSink.deliver(.behind(ConnectionID($1), TopicID($2), revision: $3), at: $0) },
    closed: { ServerSink.deliver(.closed(ConnectionID($1), code: $2), at: $0) },
    turn_ended: { ServerSink.deliver(.turnEnded(loop: Int($1)), at: $0) },
    request: { ServerSink.deliver(.request(RequestID($1), HTTPRequest($2.pointee)), at: $0) },
    body_saved: { ServerSink.deliver(.bodySaved(RequestID($1), count: $2, isWhole: $3), at: $0) },
    peeked: { ServerSink.deliver(.peeked(ConnectionID($2), Backlog($3.pointee), ticket: $1), at: $0) },
    over_budget: { ServerSink.deliver(.pressed, at: $0) },
    log: { ServerSink.deliver(.log(String(cString: $1)), at: $0) },
    released: { context in
        if let context { Unmanaged<ServerSink>.fromOpaque(context).release() }
    }
)
