import ChatRoom
import ChatWire
import WebSocketTransport

/// Passes shards' decisions to connections, sessions, services and metrics. Any thread.
struct ConnectionGateway: Sendable {
    let transport: WebSocketServer
    let sessions: Sessions
    let services = ServiceDesk()
    let metrics: Metrics
    let quotas: Quotas
    let log: ServerLog

    /// The inputs at the time of their turn, without the questions of connections that have closed.
    ///
    /// The store's answer to a reader gets the role that the reader's token grants at this time: a fresh token may grant
    /// less than the token that the query came with. The room waits for it, also when the connection has closed.
    func present(_ inputs: [ShardInput]) -> [ShardInput] {
        // Most turns have no such inputs, and their arrays are not copied.
        inputs.contains { $0.requester != nil } ? inputs.compactMap(present) : inputs
    }

    private func present(_ input: ShardInput) -> ShardInput? {
        guard let reader = input.requester, !reader.isService else { return input }
        if case .found(let answer) = input {
            return .found(answer.granted(sessions.role(of: reader.connection, in: answer.room)))
        }
        return sessions.has(reader.connection) ? input : nil
    }

    /// Performs one event loop's part of a decision. Sessions get their notes before connections get their frames, because
    /// a client's next request is checked against its session.
    ///
    /// - Parameter departure: as ``CommittedBatch`` decided.
    func perform(_ part: ShardDecision.Loop, onLoop loop: Int, leaving departure: Departure) {
        if !part.notes.isEmpty { sessions.deliver(part.notes, onLoop: loop) }
        if !part.commands.isEmpty {
            transport.submit(part.commands, onLoop: loop, moreFollow: departure == .withNext)
        }
        if departure == .ending, !part.appends { transport.uncork(loop: loop) }
    }

    /// Notifies all event loops that nothing follows that must leave together with the last diffs.
    func uncork() {
        for loop in 0..<transport.loopCount { transport.uncork(loop: loop) }
    }

    /// Passes on answers to services, and those to connections that must come after all commands.
    func serve(_ decision: ShardDecision) {
        for (reader, frame) in decision.served { services.answer(reader, frame) }
        for (reader, ref) in decision.regranted {
            for case .answer(let frame) in sessions.regranted(reader.connection, ref: ref) {
                transport.send(Frame(text: frame.json), to: reader.connection)
            }
        }
    }

    /// Sends the reason, then closes the connection.
    func dismiss(_ connection: ConnectionID, code: UInt16, reason: String, retryAfter: Milliseconds? = nil) {
        metrics.closes.show("\(code)")
        let bye = Frame(bye: code, reason, retryAfter: retryAfter)
        transport.close(connection, sending: bye, code: code, reason: reason)
    }
}

// MARK: - Metrics

extension ConnectionGateway {
    /// Counts so many bytes more against the memory budget, or fewer.
    func hold(_ bytes: Int) {
        if bytes != 0 { transport.hold(bytes) }
    }

    func count(_ decision: ShardDecision) {
        let growth = decision.growth
        if growth.rooms != 0 { metrics.rooms.add(growth.rooms) }
        if growth.readers != 0 { metrics.readers.add(growth.readers) }
        if growth.online != 0 { metrics.peopleOnline.add(growth.online) }
        if growth.inboxes != 0 { metrics.inboxes.add(growth.inboxes) }
        hold(growth.cachedBytes + growth.rowBytes + growth.listBytes)
        if !decision.inboxQueries.isEmpty { metrics.membershipReads.add(decision.inboxQueries.count) }
        for event in decision.events { count(event) }
    }

    private func count(_ event: ShardDecision.Event) {
        switch event {
        case .published(let rows, let revisions): metrics.published(rows: rows, revisions: revisions)
        case .publishedMembers: metrics.memberDiffs.add(1)
        case .publishedInbox: metrics.inboxDiffs.add(1)
        case .delivered(let delivery, let resumed): metrics.delivered(delivery, resumed: resumed)
        case .caughtUp(let since): metrics.catchUpDuration.observe(ContinuousClock.now - since)
        case .refused(let code): metrics.errors.count(code.rawValue)
        case .held(let limit): quotas.hit(limit)
        case .closed(let code): metrics.closes.show("\(code)")
        case .diverged(let room, let revision):
            metrics.divergences.add(1)
            log(
                .error, "a room differs from another server's: it is loaded again",
                ["room": "\(room)", "revision": "\(revision)"])
        }
    }
}

extension ShardDecision.Loop {
    /// True when there are no commands and no notes.
    var isEmpty: Bool { commands.isEmpty && notes.isEmpty }
}
