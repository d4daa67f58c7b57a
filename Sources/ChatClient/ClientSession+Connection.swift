package import ChatWire

extension ClientSession {
    mutating func start() {
        switch phase {
        case .idle, .ended: connect()
        case .connecting, .greeting, .ready, .waiting: break
        }
    }

    mutating func stop() {
        switch phase {
        case .idle, .ended: return
        case .connecting, .greeting, .ready: effects.append(.disconnect(code: CloseCode.normal, reason: ""))
        case .waiting: break
        }
        forgetConnection()
        phase = .idle
        effects.append(.state(.offline))
    }

    private mutating func connect() {
        phase = .connecting
        effects += [.state(.connecting), .connect]
    }

    mutating func connected() {
        guard phase == .connecting else { return }
        phase = .greeting(since: now)
        lastHeard = now
        sendHello()
    }

    mutating func greeted(_ welcome: Welcome) {
        phase = .ready(welcome, since: now)
        wasWelcome = true
        lastPing = now
        effects.append(.state(.online(welcome)))
        subscribeToAll()
        sendQuestions()
        pump()
    }

    /// Handles the loss of the connection, or its end by this side.
    mutating func handleLoss(_ loss: ConnectionLoss, retryAfter: Milliseconds = 0) {
        switch phase {
        case .idle, .waiting, .ended: return
        case .ready(_, let since): backoff.connectionEnded(after: now - since)
        case .connecting, .greeting: break
        }
        let announcedClose = announcedClose ?? AnnouncedClose(loss: loss, retryAfter: retryAfter)
        let isFinal = isFinal(announcedClose.loss)
        if announcedClose.loss.blamesUs { connectionClosed(over: announcedClose.loss) }
        forgetConnection()
        if isFinal {
            phase = .ended
            effects.append(.state(.ended(announcedClose.loss)))
        } else {
            let wait = backoff.next(retryAfter: announcedClose.retryAfter)
            phase = .waiting(until: now + wait)
            effects.append(.state(.waiting(wait, announcedClose.loss)))
        }
    }

    /// Returns whether another attempt would fail too.
    private func isFinal(_ loss: ConnectionLoss) -> Bool {
        switch (phase, loss) {
        // Only `hello` was sent, and the next one would be the same.
        case (.greeting, _) where loss.blamesUs: true
        // The server accepted an earlier token: this one has ended, and the provider has another.
        case (_, .refused(let error)) where error.code == .unauthorized && credential == nil && wasWelcome: false
        default: loss.isFinal
        }
    }

    /// Closes a connection that is of no use any more.
    mutating func disconnect(_ loss: ConnectionLoss, code: UInt16, retryAfter: Milliseconds = 0) {
        effects.append(.disconnect(code: code, reason: ""))
        handleLoss(loss, retryAfter: retryAfter)
    }

    mutating func misunderstood(_ what: String) {
        disconnect(.misunderstood(what), code: CloseCode.policyViolation)
    }

    private mutating func forgetConnection() {
        announcedClose = nil
        keepQuestions()
        forgetRequests()
        unread = [:]
        outbox.connectionLost()
        for list in lists.keys { lists[list]?.connectionLost() }
        wanted.connectionLost()
        unstoredDrafts.due = nil
        unstoredLater.due = nil
        unstoredBlocks.due = nil
    }

    mutating func tick() {
        switch phase {
        case .idle, .connecting, .ended: break
        case .waiting(let until): if until <= now { connect() }
        case .greeting(let since): if since + Self.grace <= now { disconnect(.silent, code: CloseCode.silent) }
        case .ready(let welcome, _):
            if lastHeard + welcome.heartbeat + Self.grace <= now {
                disconnect(.silent, code: CloseCode.silent)
            } else {
                if pingTime(welcome) <= now { ping() }
                tickLists()
                pump()
            }
        }
    }

    private mutating func ping() {
        lastPing = now
        _ = request(.ping, .ping)
    }

    /// Returns the time of the next ping. Each side must hear the other once in a heartbeat, and a ping serves both.
    private func pingTime(_ welcome: Welcome) -> Milliseconds {
        max(lastPing, min(lastHeard, lastSaid)) + welcome.heartbeat
    }

    /// The time at which the session needs its next `tick`; `nil` if it waits for something else.
    package var deadline: Milliseconds? {
        switch phase {
        case .idle, .connecting, .ended: return nil
        case .waiting(let until): return until
        case .greeting(let since): return since + Self.grace
        case .ready(let welcome, _):
            let times = [lastHeard + welcome.heartbeat + Self.grace, pingTime(welcome), outbox.heldUntil(after: now)]
            let lists = lists.values.map(\.deadline) + [wanted.due, unread.values.min()]
            let unstored = [unstoredDrafts.due, unstoredLater.due, unstoredBlocks.due]
            return (times + lists + unstored).compactMap(\.self).min()
        }
    }
}

extension ConnectionLoss {
    /// True when the server closed the connection because it cannot accept what it was sent.
    var blamesUs: Bool {
        switch self {
        case .closed(CloseCode.unsupported, _), .closed(CloseCode.invalidText, _), .closed(CloseCode.tooLarge, _): true
        case .failed, .closed, .silent, .refused, .misunderstood: false
        }
    }

    /// True when another attempt would fail too, with any credential.
    var isFinal: Bool {
        switch self {
        case .failed, .silent, .misunderstood: false
        case .closed(let code, _): !CloseCode.allowsReturn(code)
        case .refused(let error): !error.isPassing
        }
    }
}

extension WireError {
    /// True when the server may accept the same request later.
    var isPassing: Bool {
        switch code {
        case .rateLimited, .unavailable: true
        case .badRequest, .unauthorized, .forbidden, .notFound, .conflict, .tooLarge, .internal: false
        }
    }

    /// The pause before the same request is sent again, in milliseconds.
    var pause: Milliseconds { retryAfter ?? 1_000 }
}
