internal import CChatSocket

/// The counters of a server. Sums over all loops; counts since the start, except those that end in `Now`.
package struct TransportStatistics: Equatable, Sendable {
    package enum Refusal: String, CaseIterable, Sendable {
        case full, address, handshake, origin, path, tls, rate, proxy
    }

    package enum Closing: String, CaseIterable, Sendable {
        /// 1000, 1001, or no code.
        case normal
        /// The connection broke.
        case broken
        /// 1002, 1003, 1007 to 1010.
        case violation
        /// 4002.
        case slow
        /// 4000.
        case silent
        case other
    }

    /// The upper bounds of the ranges of ``lag``, in seconds.
    package static let lagBounds = (0..<CHATSOCK_LAG_RANGES - 1).map { Double(chatsock_lag_bound(UInt32($0))) / 1e6 }

    package var openNow = 0
    package var accepted = 0
    package var refused: [Refusal: Int] = [:]
    package var closed: [Closing: Int] = [:]
    package var requests = 0
    package var framesIn = 0
    package var bytesIn = 0
    package var bytesOut = 0
    /// System calls that wrote to WebSockets.
    package var writes = 0
    /// Frames of logs times the readers that they were written to.
    package var deliveries = 0
    /// The number of times that a reader fell off a log.
    package var behind = 0
    /// Connections whose socket accepts no more bytes.
    package var stalledNow = 0
    package var privateBytesNow = 0
    package var partialBytesNow = 0
    package var logBytesNow = 0
    /// Rests of frames whose beginning is on the wire.
    package var cutBytesNow = 0
    /// HTTP answers, bodies of requests, and pieces of files.
    package var answerBytesNow = 0
    /// Bytes that the application has reported by ``WebSocketServer/hold(_:)``.
    package var heldNow = 0
    /// Connections that were ended because the budget was used up.
    package var shed = 0
    package var topicsNow = 0
    /// Readers that fell off a log and have not come back.
    package var behindNow = 0
    /// Commands that wait for their event loop.
    package var queuedNow = 0
    /// Frames and HTTP answers of these commands.
    package var queuedBytesNow = 0
    /// A histogram of the time from a frame's ``Moment`` until it was written to the readers of one loop: a count for
    /// each range of ``lagBounds``, and one for all above.
    package var lag: [Int] = []
    /// The sum of all lags, in seconds.
    package var lagSum = 0.0
    /// Seconds since the last turn of the loop that is furthest behind.
    package var silence = 0.0

    init(_ raw: chatsock_stats) {
        openNow = Int(raw.open_now)
        accepted = Int(raw.accepted)
        requests = Int(raw.requests)
        framesIn = Int(raw.frames_in)
        bytesIn = Int(raw.bytes_in)
        bytesOut = Int(raw.bytes_out)
        writes = Int(raw.writes)
        deliveries = Int(raw.deliveries)
        behind = Int(raw.behind)
        stalledNow = Int(raw.stalled_now)
        privateBytesNow = Int(raw.private_bytes_now)
        partialBytesNow = Int(raw.partial_bytes_now)
        logBytesNow = Int(raw.log_bytes_now)
        cutBytesNow = Int(raw.cut_bytes_now)
        answerBytesNow = Int(raw.answer_bytes_now)
        heldNow = Int(truncatingIfNeeded: raw.held_now)
        shed = Int(raw.shed)
        topicsNow = Int(raw.topics_now)
        behindNow = Int(raw.behind_now)
        queuedNow = Int(raw.queued_now)
        queuedBytesNow = Int(truncatingIfNeeded: raw.queued_bytes_now)
        lagSum = Double(raw.lag_ns) / 1e9
        silence = Double(raw.silence_ns) / 1e9
        withUnsafeBytes(of: raw.lag) { counts in
            let counts = counts.bindMemory(to: UInt64.self)
            lag = counts.map { Int($0) }
        }
        withUnsafeBytes(of: raw.refused) { counts in
            for (reason, count) in zip(Refusal.allCases, counts.bindMemory(to: UInt64.self)) {
                refused[reason] = Int(count)
            }
        }
        withUnsafeBytes(of: raw.closed) { counts in
            for (kind, count) in zip(Closing.allCases, counts.bindMemory(to: UInt64.self)) {
                closed[kind] = Int(count)
            }
        }
    }
}
