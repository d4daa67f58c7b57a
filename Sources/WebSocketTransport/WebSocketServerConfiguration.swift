internal import CChatSocket

/// The address of a ``WebSocketServer``, and its limits for peers.
///
/// - Units: bytes; seconds, down to a few milliseconds.
package struct WebSocketServerConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// 0: any free port, see ``WebSocketServer/port``.
    package var port: UInt16 = 0
    /// The number of threads, each with its own event loop.
    package var loops = 1
    /// Limit for a received message, all its fragments together. A longer one is reported by
    /// ``WebSocketServer/Event/oversized(_:_:)``; one of more than 16 times the limit closes its connection with 1009.
    package var maxFrameBytes = 64 << 10
    package var maxFragments = 1024
    /// Limit for the unfinished messages of all connections together. A connection that exceeds it is closed with 1013.
    package var maxPartialBytes = 64 << 20
    /// 0: as many as the descriptor limit allows, minus a reserve for files. Further connections are answered with 503.
    package var maxConnections = 0
    /// Paths whose `GET` and `HEAD` are answered beyond the limit of connections, too. A few places are kept for that.
    /// The newest connections have them, so that no peer can occupy them for good.
    package var vitalPaths: [String] = []
    /// 0: no limit. Further connections are answered with 429, or with TLS just closed. An IPv6 /64 network is one
    /// address.
    package var maxConnectionsPerAddress = 0
    /// Limit for one address, on average; a burst may be five seconds' worth. 0: no limit. Refusals as for connections.
    package var handshakesPerSecond = 0
    /// True when the two limits above also apply to this machine's own addresses.
    package var limitsLoopback = true
    /// Trusted proxies, as addresses or as networks like `10.0.0.0/8`. The address that they report in
    /// `X-Forwarded-For` is the peer's address, and the limits apply to it instead of to the proxy's.
    package var trustedProxies: [String] = []
    /// True when connections of trusted proxies begin with a header of the PROXY protocol, version 1 or 2.
    package var speaksProxyProtocol = false
    /// Limit for the body of a plain HTTP request other than `PUT`. A longer one is answered with 413.
    package var maxBodyBytes = 64 << 10
    /// Unsent private bytes of one connection at which the next frame closes it with 4002. It limits floods rather than
    /// slowness: all that a peer asks for at once, such as pages of many rooms, waits here.
    package var maxPrivateBytes = 16 << 20
    /// Bytes kept of each topic on each loop for readers that are behind. A reader that needs older ones falls off.
    package var logBytesPerTopic = 1 << 20
    /// Limit for all bytes that wait for peers, have arrived in part, or are kept by the application for peers; 0: no
    /// limit. Beyond it, the connections that hold most are closed with 4007.
    package var memoryBudget = 512 << 20
    /// The path of a WebSocket that sends every message back unchanged; `nil` for none.
    package var echoPath: String?
    /// Limit for a message there, all its fragments together. Their number is not limited.
    package var maxEchoBytes = 16 << 20
    /// With a certificate, the server speaks only TLS, 1.2 or later.
    package var certificate: Certificate?
    /// The `Origin` headers of pages that may connect or send HTTP requests, `*` for any. `nil`: only this server's own
    /// pages, whose origin has the host and port of the `Host` header. A request without `Origin` does not come from a
    /// page in a browser, and is allowed.
    package var allowedOrigins: [String]?
    /// True when a request's `Host` must name loopback or an allowed origin. It stops DNS rebinding: a foreign page
    /// whose name was made to resolve to this machine sends that name. A request without `Host` is not from a browser.
    package var allowsOnlyLoopbackHosts = false
    /// Silence after which a peer is pinged.
    package var heartbeatSeconds = 25.0
    /// Further silence after which its connection is closed with 4000.
    package var heartbeatGraceSeconds = 10.0
    /// The time without progress while data waits, after which a connection is closed with 4002. Also the time for each
    /// 16 KiB of a file: of a `PUT`, whose answer is then 408, or of an answer, which then breaks off.
    package var stallSeconds = 30.0
    /// The time for a peer to answer a close frame.
    package var closeSeconds = 5.0
    /// The time for an HTTP body other than that of a `PUT` to arrive, and again for the application to answer. After that the answer is 503.
    package var requestSeconds = 30.0
    /// The time for the header of a request to arrive, however many pieces it comes in. A header of more than 16 KB, or
    /// of more than 80 lines and query arguments together, is answered with 431.
    package var headerSeconds = 10.0

    package init() {}

    /// True when the text is an address, or a network like `10.0.0.0/8`.
    package static func isNetwork(_ text: String) -> Bool {
        chatsock_is_network(text)
    }

    /// Calls `body` with the C form, whose strings live until it returns.
    func withRaw<Result>(_ body: (inout chatsock_config) -> Result) -> Result {
        var raw = rawWithoutStrings
        let origins = allowedOrigins ?? []
        let files = [certificate?.chain ?? "", certificate?.key ?? ""]
        return withCStrings([host, echoPath ?? ""] + files + trustedProxies + origins + vitalPaths) { strings in
            raw.host = strings[0]
            raw.echo_path = echoPath == nil ? nil : strings[1]
            raw.certificate = certificate == nil ? nil : strings[2]
            raw.key = certificate == nil ? nil : strings[3]
            raw.trusted_count = trustedProxies.count
            raw.origin_count = origins.count
            raw.vital_count = vitalPaths.count
            return Array(strings[4...]).withUnsafeBufferPointer { lists in
                raw.trusted = lists.baseAddress
                raw.origins = allowedOrigins == nil ? nil : lists.baseAddress.map { $0 + trustedProxies.count }
                raw.vital_paths = lists.baseAddress.map { $0 + trustedProxies.count + origins.count }
                return body(&raw)
            }
        }
    }

    private var rawWithoutStrings: chatsock_config {
        var raw = chatsock_defaults()
        raw.port = port
        raw.loops = UInt32(clamping: loops)
        raw.max_frame_bytes = maxFrameBytes
        raw.max_echo_bytes = maxEchoBytes
        raw.max_fragments = UInt32(clamping: maxFragments)
        raw.max_partial_bytes = maxPartialBytes
        raw.max_connections = UInt32(clamping: maxConnections)
        raw.max_per_address = UInt32(clamping: maxConnectionsPerAddress)
        raw.max_body_bytes = maxBodyBytes
        raw.max_private_bytes = maxPrivateBytes
        raw.log_bytes = logBytesPerTopic
        raw.memory_budget = memoryBudget
        raw.heartbeat_ms = milliseconds(heartbeatSeconds)
        raw.heartbeat_grace_ms = milliseconds(heartbeatGraceSeconds)
        raw.stall_ms = milliseconds(stallSeconds)
        raw.close_ms = milliseconds(closeSeconds)
        raw.request_ms = milliseconds(requestSeconds)
        raw.header_ms = milliseconds(headerSeconds)
        raw.handshakes_per_second = UInt32(clamping: handshakesPerSecond)
        raw.limits_loopback = limitsLoopback
        raw.proxy_protocol = speaksProxyProtocol
        raw.only_loopback_hosts = allowsOnlyLoopbackHosts
        return raw
    }
}

/// Whole milliseconds, at least one and at most about 46 days.
func milliseconds(_ seconds: Double) -> UInt32 {
    UInt32(max(1, min(seconds * 1000, 4e9)))
}

/// Calls `body` with C copies of `strings` that live until it returns.
func withCStrings<Result>(_ strings: [String], _ body: ([UnsafePointer<CChar>]) -> Result) -> Result {
    func go(_ rest: ArraySlice<String>, _ done: [UnsafePointer<CChar>]) -> Result {
        guard let first = rest.first else { return body(done) }
        return first.withCString { go(rest.dropFirst(), done + [$0]) }
    }
    return go(strings[...], [])
}
