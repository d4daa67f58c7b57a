internal import CChatSocket

/// How a ``WebSocketServer`` listens, and what it bears from its peers.
///
/// - Units: bytes; seconds, down to a few milliseconds.
package struct WebSocketServerConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// 0: any free port, see ``WebSocketServer/port``.
    package var port: UInt16 = 0
    /// Threads, each with an event loop of its own.
    package var loops = 1
    /// A received message, its fragments together. A longer one is passed over, see
    /// ``WebSocketServer/Event/oversized(_:_:)``; one of more than 16 times as much closes its connection with 1009.
    package var maxFrameBytes = 64 << 10
    package var maxFragments = 1024
    /// Unfinished messages of all connections together. Who goes beyond is closed with 1013.
    package var maxPartialBytes = 64 << 20
    /// 0: as many as there may be descriptors, less a reserve for files. Who is over is answered with 503.
    package var maxConnections = 0
    /// Paths whose `GET` and `HEAD` are answered when there is no room for more connections, too. A few places are kept
    /// for that; the latest to come has one, so that nobody takes them for good.
    package var vitalPaths: [String] = []
    /// 0: no limit. Who is over is answered with 429, or with TLS not at all. An IPv6 address is its /64 network.
    package var maxConnectionsPerAddress = 0
    /// Of one address, in the long run; five seconds' worth may come at once. 0: no limit. Who is over is answered alike.
    package var handshakesPerSecond = 0
    /// Whether both hold for this machine's own addresses, too.
    package var limitsLoopback = true
    /// Proxies whose word is taken for whom they speak for, as addresses or as networks like `10.0.0.0/8`. What they say
    /// in `X-Forwarded-For` is then the peer's address, and the limits hold for that and not for them.
    package var trustedProxies: [String] = []
    /// Whether their connections begin with a header of the PROXY protocol, version 1 or 2.
    package var speaksProxyProtocol = false
    /// The body of a plain HTTP request. A longer one is answered with 413.
    package var maxBodyBytes = 64 << 10
    /// Private bytes unsent to one connection at which the next frame closes it with 4002. Not slowness but a flood: all
    /// that somebody asks for at once, such as pages of many rooms, waits there for the first of them to be sent.
    package var maxPrivateBytes = 16 << 20
    /// Kept of each topic on each loop for readers that are behind. Whoever needs older ones is told to catch up.
    package var logBytesPerTopic = 1 << 20
    /// All that waits for peers to take it or has come in part, and what the application keeps for them, together; 0 for no
    /// limit. Beyond it whoever owes most is closed, with 4007.
    package var memoryBudget = 512 << 20
    /// Where every message is sent back as it came; `nil` for nowhere.
    package var echoPath: String?
    /// A message there, its fragments together, however many.
    package var maxEchoBytes = 16 << 20
    /// With it the server speaks TLS, 1.2 or later, and nothing else.
    package var certificate: Certificate?
    /// The `Origin` headers of pages that may connect, or ask by HTTP, `*` for any; `nil` for those of this server's own, whose origin
    /// has the host and port of the `Host` header. Who sends none is no page of a browser's, and may connect.
    package var allowedOrigins: [String]?
    /// Whether a request's `Host` must be a name of loopback or of an allowed origin: a page of elsewhere whose name was
    /// made to point at this machine asks for that name. Who sends none is no browser.
    package var allowsOnlyLoopbackHosts = false
    /// Silence after which a peer is pinged.
    package var heartbeatSeconds = 25.0
    /// Further silence after which it is closed with 4000.
    package var heartbeatGraceSeconds = 10.0
    /// Without progress while data waits, after which a peer is closed with 4002.
    package var stallSeconds = 30.0
    /// For a peer to answer a close.
    package var closeSeconds = 5.0
    /// For an HTTP body to arrive, and again for the application to answer before it is answered with 503.
    package var requestSeconds = 30.0
    /// For the header of a request to arrive, whatever trickles in meanwhile. More than 16 KB of it, or than 80 lines and
    /// arguments of its query, are answered with 431.
    package var headerSeconds = 10.0

    package init() {}

    /// Whether it is an address, or a network like `10.0.0.0/8`.
    package static func isNetwork(_ text: String) -> Bool {
        chatsock_is_network(text)
    }

    /// Calls `body` with the C form, whose strings live until it returns.
    func withRaw<Result>(_ body: (inout chatsock_config) -> Result) -> Result {
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
}

/// Whole milliseconds, at least one; beyond 49 days it is all the same.
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
