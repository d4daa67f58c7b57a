import ChatClient
import ChatWire
import WebSocketTransport

extension Load {
    /// Connects some clients at a time, until all have joined.
    mutating func join(_ since: Int64) {
        while nextToConnect < clients.count, connecting < 200 {
            let index = nextToConnect
            nextToConnect += 1
            connecting += 1
            if clients[index].role == .subscriber {
                handle(index, .open(options.room(clients[index].rooms.lowerBound), limit: 50))
                if clients[index].isMember { joinRooms(index) }
            }
            handle(index, .start)
        }
        guard nextToConnect == clients.count, connecting == 0 else {
            let isHopeless = now - since > 10_000_000 && !clients.contains(where: \.hasJoined)
            if now - since > 60_000_000 || isHopeless { abortJoining(since) }
            return
        }
        report.joinTime = Double(now - since) / 1e6
        phase = .running(since: now)
    }

    private mutating func abortJoining(_ since: Int64) {
        report.behind = clients.count { !$0.hasJoined }
        report.recordFailure(
            "\(report.behind) of \(clients.count) clients could not join within \((now - since) / 1_000_000) s")
        phase = .over
    }

    mutating func run(_ since: Int64) {
        let elapsed = now - since
        guard elapsed < Int64(options.duration) * 1_000_000 else {
            report.runTime = Double(elapsed) / 1e6
            return beginSettling()
        }
        let rate = options.rate * Double(publishers.count) / Double(options.rooms * max(1, options.publishers))
        while !publishers.isEmpty, Double(scheduled) < rate * Double(elapsed) / 1e6 {
            scheduled += 1
            write(Int.random(in: publishers, using: &random))
        }
        churnAndStall()
    }

    // MARK: - Writing

    private mutating func write(_ index: Int) {
        guard clients[index].session.unanswered < options.maxInFlight else {
            report.heldBack += 1
            return
        }
        let command = command(of: index)
        unanswered[command.id] = Unanswered(command: command, time: now)
        if case .send = command.action { spans.recordSend(command.id, at: now) }
        report.sent += 1
        handle(index, .command(command))
    }

    private mutating func command(of index: Int) -> Command {
        let room = options.room(clients[index].rooms.lowerBound)
        let id = UniqueID.random(using: &random)
        if random.chance(options.edits), let target = clients[index].recent.randomElement(using: &random) {
            return Command(id: id, room: room, action: change(to: target, by: index))
        }
        clients[index].newest = id
        let mentions = mentioned(in: clients[index].rooms.lowerBound)
        return Command(id: id, room: room, action: .send(MessageContent(text(of: index), mentions: mentions)))
    }

    private mutating func change(to target: MessageID, by index: Int) -> RoomAction {
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where target != clients[index].newest:
            clients[index].recent.removeAll { $0 == target }
            return .delete(target)
        case 0, 1: return .react(target, emoji: "👍", .on)
        default:
            let room = clients[index].rooms.lowerBound
            let tag = expected[room]?[target]?.text.split(separator: " ").first ?? ""
            return .edit(target, ContentEdit("\(tag) edited at \(now)", mentions: mentioned(in: room)))
        }
    }

    /// Returns a text that begins as no other message of any run does.
    private mutating func text(of index: Int) -> String {
        clients[index].written += 1
        let tag = "\(options.seed).\(part.index).\(index).\(clients[index].written) "
        return tag + String(repeating: "x", count: max(0, options.size - tag.utf8.count))
    }

    mutating func answered(_ command: Command, _ outcome: Command.Outcome, by index: Int) {
        guard case .done(let effect) = outcome else {
            unanswered[command.id] = nil
            if case .refused(let error) = outcome { return refused(command, error, by: index) }
            report.refused += 1
            return
        }
        guard let asked = unanswered.removeValue(forKey: command.id) else { return }
        report.acknowledged += 1
        report.sendToOK.record(now - asked.time)
        if case .send = command.action { spans.recordAnswer(command.id, at: now) }
        let room = clients[index].rooms.lowerBound
        if let effect {
            firstWritten[room] = min(firstWritten[room] ?? .max, effect.revision)
            lastWritten[room] = max(lastWritten[room] ?? 0, effect.revision)
        }
        expect(command, at: effect?.revision, by: index)
    }

    private mutating func refused(_ command: Command, _ error: WireError, by index: Int) {
        let why = "refused: \(error.message)"
        switch (error.code, command.action) {
        case (.notFound, .edit(let id, _)), (.notFound, .delete(let id)), (.notFound, .react(let id, _, _)):
            missed.append((clients[index].rooms.lowerBound, id, why))
        default:
            report.refused += 1
            report.recordFailure(why)
        }
    }

    private mutating func expect(_ command: Command, at revision: Revision?, by index: Int) {
        let room = clients[index].rooms.lowerBound
        switch command.action {
        case .send(let content):
            expected[room, default: [:]][command.id] = Expectation(
                text: content.text, mentions: content.mentions, sort: revision)
            clients[index].recent.append(command.id)
            if clients[index].recent.count > 32 { clients[index].recent.removeFirst() }
        case .edit(let id, let edit):
            guard let text = edit.text else { return }
            expected[room]?[id]?.text = text
            expected[room]?[id]?.mentions = edit.mentions
        case .delete(let id): expected[room]?[id]?.isDeleted = true
        case .react(let id, _, _): expected[room]?[id]?.hasReaction = true
        case .grow, .summarize, .moderate, .join, .leave, .settings, .create: break
        }
    }

    // MARK: - Trouble

    /// Seconds between two read marks of a member, on average.
    private static let markPause = 5.0

    private mutating func churnAndStall() {
        if case .running(let since) = phase, options.herd > 0, herdCut == nil,
            now - since >= Int64(options.herd) * 1_000_000
        {
            herdCut = now
            herd = Set(subscribers)
            for index in subscribers { cut(index) }
        }
        // A tick is about 2 ms.
        let chance = options.churn * 0.002
        let markChance = 0.002 / Self.markPause
        for index in subscribers {
            if clients[index].isMember, random.chance(markChance) { markRead(index) }
            if chance > 0, random.chance(chance) { cut(index) }
            if let time = clients[index].nextStall, time <= now { switchStall(index) }
        }
    }

    private mutating func cut(_ index: Int) {
        guard let id = clients[index].connection, !clients[index].isCut else { return }
        clients[index].isCut = true
        clientOf[id] = nil
        clients[index].connection = nil
        hangUp(id, CloseCode.goingAway, "")
        handle(index, .disconnected(.closed(code: CloseCode.goingAway, reason: "cut by us")))
    }

    private mutating func switchStall(_ index: Int) {
        clients[index].nextStall = now + Int64(Int.random(in: options.stallTime, using: &random)) * 1_000_000
        guard let connection = clients[index].connection else { return }
        clients[index].isStalled.toggle()
        if clients[index].isStalled {
            report.stalls += 1
            transport?.pauseReading(connection)
        } else {
            transport?.resumeReading(connection)
        }
    }

    private mutating func beginSettling() {
        for index in subscribers where clients[index].isStalled {
            clients[index].isStalled = false
            if let connection = clients[index].connection { transport?.resumeReading(connection) }
        }
        addVerifiers()
        phase = .settling(since: now)
    }
}
