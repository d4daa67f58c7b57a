import ChatClient
import ChatRoom
import ChatWire
import Replicas

// What people and their clients do.

extension World {
    func tell(_ client: Client, _ input: SessionInput) {
        for effect in client.session.handle(input, at: clock.now) { perform(effect, for: client) }
        guard let deadline = client.session.deadline, deadline < client.tickAt else { return }
        client.tickAt = deadline
        client.process.after(deadline - clock.now) { [self] in
            client.tickAt = .max
            tell(client, .tick)
        }
    }

    private func perform(_ effect: SessionEffect, for client: Client) {
        switch effect {
        case .connect: connect(client)
        case .send(let frame): send(frame, for: client)
        case .disconnect:
            client.link?.say(.closed)
            client.link = nil
        case .wantToken: preconditionFailure("nobody here has a token")
        case .state(.ended(let loss)): complain("client \(client.index) gave up: \(loss)")
        case .state: break
        case .changed(let change): check(change, of: client)
        case .answered(let command, let outcome): check(outcome, of: command, of: client)
        case .notice(let notice): check(notice, of: client)
        }
    }

    private func send(_ frame: ClientFrame, for client: Client) {
        guard let link = client.link else { return complain("client \(client.index) speaks without a connection") }
        link.ask(frame)
        guard frame.isCommand, chance(weather.repeatedCommands) else { return }
        let again = unheard(frame.request, client)
        client.process.after(upTo(2_000)) { if client.link === link { link.ask(again) } }
    }

    /// A request past the client's session, which does not hear of the answer.
    private func unheard(_ request: ClientFrame.Request, _ client: Client) -> ClientFrame {
        client.repeats += 1
        return ClientFrame(ref: Self.repeats + client.repeats, request: request)
    }

    func ask(_ request: ClientFrame.Request, _ client: Client) {
        if let link = client.link, link.isOpen { link.ask(unheard(request, client)) }
    }

    /// Everybody comes; then each does something now and then, `count` things all together.
    func gather(acts count: Int) {
        for client in clients {
            clock.after(upTo(2_000)) { [self] in
                for room in rooms { tell(client, .open(room, limit: Int.random(in: 32...40, using: &random))) }
                settleIn(client)
                tell(client, .start)
            }
        }
        for _ in 0..<count { clock.after(upTo(Milliseconds(count) * 400)) { self.act() } }
        for _ in 0..<(closed == nil ? 0 : count) {
            clock.after(upTo(Milliseconds(count) * 400)) { self.actInClosedRoom() }
        }
        guard weather.hasTwins else { return }
        for _ in 0..<count / 4 { clock.after(upTo(Milliseconds(count) * 400)) { self.actElsewhere() } }
    }

    private func act() {
        let client = clients[Int.random(in: clients.indices, using: &random)]
        let room = rooms.count == 1 ? rooms[0] : rooms.randomElement(using: &random)!
        client.process.after(0) { [self] in
            pinOrFollow(client, in: room)
            if weather.hasMembers, chance(0.3) { return actAsMember(client, in: room) }
            switch Int.random(in: 0..<30, using: &random) {
            case 0, 1: tell(client, .page(room, page(for: client, in: room), limit: 32))
            case 2: leave(room, client)
            case 3: pause(client)
            case 4: for number in 0..<40 { send("\(number)", to: room, from: client) }
            default:
                for _ in 0..<[1, 1, 1, 4].randomElement(using: &random)! {
                    give(action(of: client, in: room), in: room, to: client)
                }
            }
        }
    }

    /// A page that the client may want, also of what is not there any more.
    private func page(for client: Client, in room: RoomName) -> RoomPage {
        let view = client.rooms[room]?.view
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return .around(.revision(Revision.random(in: 0...(view?.revision ?? 0), using: &random)))
        case 1:
            guard let message = view?.messages.randomElement(using: &random) else { return .older }
            return .around(message.replyTo.map { .id($0) } ?? .time(message.time))
        case 2, 3:
            guard let gap = view?.held.gaps.randomElement(using: &random) else { return .older }
            return .gap(gap.id, from: Bool.random(using: &random) ? .beginning : .end)
        default: return .older
        }
    }

    private func leave(_ room: RoomName, _ client: Client) {
        tell(client, .close(room))
        (client.rooms[room], client.people[room], client.pins[room]) = (nil, nil, nil)
        client.followsPins.remove(room)
        reopen(room, for: client, after: upTo(500))
    }

    func reopen(_ room: RoomName, for client: Client, after time: Milliseconds) {
        client.hasRead[room] = nil
        client.process.after(time) { [self] in
            client.hasRead[room] = nil
            tell(client, .open(room, limit: 32))
        }
    }

    private func pause(_ client: Client) {
        tell(client, .stop)
        client.process.after(upTo(5_000)) { [self] in tell(client, .start) }
    }

    func send(_ text: String, to room: RoomName, from client: Client) {
        give(.send(MessageContent(text, mentions: mentioned())), in: room, to: client)
    }

    func give(_ action: RoomAction, in room: RoomName, to client: Client) {
        give(Command(id: .random(using: &random), room: room, action: action), to: client)
    }

    func give(_ command: Command, to client: Client) {
        client.given.append(command)
        tell(client, .command(command))
    }

    func action(of client: Client, in room: RoomName) -> RoomAction {
        let sent = client.given.filter { $0.room == room }
        let own = sent.compactMap { if case .send = $0.action { $0.id } else { nil } }
        if weather.isModerated, client.index == 0, chance(0.5) { return .moderate(moderation()) }
        let seen = client.rooms[room]?.view?.messages.suffix(20) ?? []
        if client.user == Self.twin, chance(0.3),
            let others = seen.filter({ $0.author == Self.otherTwin }).randomElement(using: &random)?.id
        {
            return Bool.random(using: &random) ? .edit(others, "not mine") : .delete(others)
        }
        let open = seen.filter { $0.author == client.user && $0.content.growth == .open }
        if let open = open.randomElement(using: &random), chance(0.5) {
            return .grow(open.id, chance(0.2) ? .close() : .append(" and at \(clock.now)", at: open.text.utf8.count))
        }
        let any = seen.randomElement(using: &random)?.id
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1:
            if let mine = own.suffix(3).randomElement(using: &random) {
                return .edit(mine, ContentEdit("at \(clock.now)", mentions: mentioned(by: client)))
            }
        case 2, 3:
            if let mine = own.randomElement(using: &random) { return .delete(mine) }
        case 4, 5, 6:
            if let any { return .react(any, emoji: "👍", Bool.random(using: &random) ? .on : .off) }
        case 7:
            return .send(MessageContent("an answer", replyTo: any, files: files()))
        default:
            break
        }
        let growth: Growth? = chance(0.2) ? .open : nil
        return .send(MessageContent("message at \(clock.now)", mentions: mentioned(by: client), growth: growth))
    }
}

extension World {
    /// No file, one or two. Here nobody looks at their proofs: what counts is that they stay with their messages.
    private func files() -> [Attachment] {
        (0..<UInt64(clock.now) % 3).compactMap { number in
            FileDescription(
                name: "\(number).png", media: "image/png", size: 7, sha256: String(repeating: "0a", count: 32)
            ).map { Attachment(id: UniqueID(high: UInt64(clock.now), low: number), $0, proof: "proof") }
        }
    }
}

// MARK: - Moderation

extension World {
    private func moderation() -> Moderation {
        let user = clients.dropFirst().randomElement(using: &random)!.user
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1: return .kick(user)
        case 2: return .ban(user)
        case 3, 4: return .unban(user)
        case 5: return .mute(user, for: 1_000)
        default: return .readOnly(Bool.random(using: &random) ? .on : .off)
        }
    }

    /// Lets everybody in again.
    func forgive() {
        for room in rooms {
            for client in clients.dropFirst() { give(.moderate(.unban(client.user)), in: room, to: clients[0]) }
        }
    }
}

extension ClientFrame {
    fileprivate var isCommand: Bool {
        switch request {
        case .send, .edit, .grow, .delete, .react, .moderate, .create, .join, .leave, .settings: true
        case .hello, .subscribe, .unsubscribe, .page, .mentionsPage, .membersPage, .audit, .search, .upload, .links,
            .ping, .typing,
            .read, .readRooms, .people, .draft, .later, .block, .token:
            false
        }
    }
}
