internal import CChatSocket

/// One thread with any number of WebSocket connections to servers.
///
/// Every call puts a command on the thread's queue and returns at once. Calls for connections that are gone do nothing.
package final class WebSocketClient: @unchecked Sendable {
    // @unchecked: `raw` never changes, every C function called with it takes calls from any thread until
    // `chatsock_client_free`, and only `deinit` calls that.
    private let raw: OpaquePointer

    package enum Event: Sendable {
        case opened(ConnectionID)
        /// A complete message.
        case received(ConnectionID, [UInt8])
        /// Once for each `opened`. libwebsockets reports a peer's 1012, 1013 and 1014 as 1002; the reason is intact.
        case closed(ConnectionID, code: UInt16, reason: String)
        /// Instead of `opened`. The text is the reason, and includes the HTTP status if the server answered with one.
        case failed(ConnectionID, String)
    }

    /// The client's limits. Units: bytes; seconds, down to a few milliseconds.
    package struct Configuration: Sendable {
        package var connectSeconds = 10.0
        /// Silence after which the server is pinged.
        package var heartbeatSeconds = 25.0
        /// Further silence after which the connection ends.
        package var heartbeatGraceSeconds = 10.0
        /// The time for the server to answer a close frame.
        package var closeSeconds = 5.0
        package var maxMessageBytes = 16 << 20
        /// Unsent bytes of one connection beyond which it is closed with 4002.
        package var maxQueuedBytes = 1 << 20
        /// The subprotocol that every connection asks for; `nil` for none.
        package var subprotocol: String? = "diffroom.v1.json"
        /// A PEM file of authorities that are trusted in addition to the system's.
        package var authorities: String?

        package init() {}
    }

    private let configuration: Configuration

    /// - Parameter handler: Runs on the client's thread. While it blocks, nothing is read or written on any connection. It is
    ///   released when the client has stopped.
    package init(
        configuration: Configuration = Configuration(), handler: @escaping @Sendable (Event) -> Void
    ) throws(TransportError) {
        var settings = chatsock_client_defaults()
        settings.connect_ms = milliseconds(configuration.connectSeconds)
        settings.heartbeat_ms = milliseconds(configuration.heartbeatSeconds)
        settings.heartbeat_grace_ms = milliseconds(configuration.heartbeatGraceSeconds)
        settings.close_ms = milliseconds(configuration.closeSeconds)
        settings.max_message_bytes = configuration.maxMessageBytes
        settings.max_queued_bytes = configuration.maxQueuedBytes
        if let file = configuration.authorities, !chatsock_authorities_are_usable(file) {
            throw .badAuthorities(file)
        }
        let context = Unmanaged.passRetained(ClientSink(handler)).toOpaque()  // +1, balanced by `released`
        var events = clientEvents
        var error = CHATSOCK_OK
        let client = withCStrings([configuration.authorities ?? ""]) { strings in
            settings.authorities = configuration.authorities == nil ? nil : strings[0]
            return chatsock_client_start(&settings, &events, context, &error)
        }
        guard let client else {
            throw TransportError(error, host: "", port: 0, detail: 0)
        }
        raw = client
        self.configuration = configuration
    }

    deinit {
        chatsock_client_free(raw)
    }

    /// Begins to connect; `opened` or `failed` follows.
    ///
    /// - Parameter sourceAddress: A numeric address of this machine to connect from. One address can hold about 28,000
    ///   connections to one server.
    package func connect(to url: WebSocketURL, from sourceAddress: String? = nil) -> ConnectionID {
        withCStrings([url.host, url.path, configuration.subprotocol ?? "", sourceAddress ?? ""]) { strings in
            var target = chatsock_target(
                host: strings[0], port: url.port, path: strings[1],
                subprotocol: configuration.subprotocol == nil ? nil : strings[2],
                source: sourceAddress == nil ? nil : strings[3], tls: url.isSecure)
            return ConnectionID(chatsock_client_connect(raw, &target))
        }
    }

    /// Sends a text message, which must be valid UTF-8.
    package func send(_ text: [UInt8], on connection: ConnectionID) {
        text.withUnsafeBufferPointer { chatsock_client_send(raw, connection.rawValue, $0.baseAddress, $0.count) }
    }

    package func close(_ connection: ConnectionID, code: UInt16, reason: String) {
        chatsock_client_close(raw, connection.rawValue, code, reason)
    }

    /// Leaves input in the socket, as a program that hangs would. Does nothing over TLS.
    package func pauseReading(_ connection: ConnectionID) {
        chatsock_client_pause(raw, connection.rawValue)
    }

    package func resumeReading(_ connection: ConnectionID) {
        chatsock_client_resume(raw, connection.rawValue)
    }

    /// Ends every connection, with `closed` (1006) or `failed`, and waits for the thread to end.
    ///
    /// Not from inside the handler. Afterwards every call does nothing.
    package func stop() {
        chatsock_client_stop(raw)
    }
}

private typealias ClientSink = EventSink<WebSocketClient.Event>

private let clientEvents = chatsock_client_events(  // C functions: they capture nothing
    opened: { context, connection, _ in ClientSink.deliver(.opened(ConnectionID(connection)), at: context) },
    received: { context, connection, bytes, count in
        let message = Array(UnsafeBufferPointer(start: bytes, count: count))  // borrowed: the only copy
        ClientSink.deliver(.received(ConnectionID(connection), message), at: context)
    },
    closed: { ClientSink.deliver(.closed(ConnectionID($1), code: $2, reason: String(cString: $3)), at: $0) },
    failed: { context, connection, why, status in
        let text = String(cString: why)
        let full = HandshakeStatus.meaning(status).map { "\($0) (HTTP status \(status))" } ?? text
        ClientSink.deliver(.failed(ConnectionID(connection), full), at: context)
    },
    released: { context in
        if let context { Unmanaged<ClientSink>.fromOpaque(context).release() }
    }
)
