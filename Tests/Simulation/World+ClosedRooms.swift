import ChatClient
import ChatRoom
import ChatServer
import ChatWire

// What people do in private and direct rooms, and at their doors.

extension World {
    /// Every room that there may be.
    var allRooms: [RoomName] { rooms + (closed?.rooms ?? []) }

    /// The founder creates the private room, sooner or later.
    func foundClosedRoom() {
        guard let closed, let founder = clients.first(where: { $0.user == closed.founder }) else { return }
        let people = Set(clients.map(\.user)).subtracting([founder.user]).sorted().filter { _ in chance(0.4) }
        let title = chance(0.5) ? RoomTitle("Plans") : nil
        founder.process.after(upTo(6_000)) { [self] in
            give(Command(id: closed.creation, creating: .private(people: people, title: title)), to: founder)
        }
    }

    /// Somebody does something in a private or direct room, whether they may or not, and whether it is there or not.
    func actInClosedRoom() {
        guard let closed, let room = (closed.rooms + closed.nowhere).randomElement(using: &random),
            let client = clients.randomElement(using: &random)
        else { return }
        client.process.after(0) { self.act(client, inClosed: room) }
    }

    private func act(_ client: Client, inClosed room: RoomName) {
        if suffers(.rewrittenMembership), chance(0.5) { return muteMembers(client) }
        switch Int.random(in: 0..<18, using: &random) {
        case 0...3: tell(client, .open(room, limit: 32))
        case 4, 5: give(.join, in: room, to: client)
        case 6: if room.kind == .private { give(.leave, in: room, to: client) }
        case 7: createPair(client)
        case 8: give(.settings(settings()), in: room, to: client)
        case 9: read(room, client)
        case 10: ask(.page(.messages(room), .before(.random(in: 1...40, using: &random)), limit: 32), client)
        case 11: typeOrLook(client, in: room)
        case 12...14: moderate(room, client)
        default: give(action(of: client, in: room), in: room, to: client)
        }
    }

    /// People join the private room, and its founder mutes and kicks them.
    private func muteMembers(_ client: Client) {
        guard let closed else { return }
        guard client.user == closed.founder, let user = clients.map(\.user).first(where: { $0 != client.user }) else {
            return give(.join, in: closed.rooms[0], to: client)
        }
        let moderation: Moderation = chance(0.5) ? .kick(user) : .mute(user, for: 1_000)
        give(.moderate(moderation), in: closed.rooms[0], to: client)
    }

    /// Each of the two may create the direct room, and any number of times.
    private func createPair(_ client: Client) {
        guard let others = closed?.pair.filter({ $0 != client.user }), others.count == 1 else { return }
        give(Command(id: .random(using: &random), creating: .direct(people: others)), to: client)
    }

    /// Mostly the founder invites people and puts them out.
    private func moderate(_ room: RoomName, _ anybody: Client) {
        let client = chance(0.7) ? clients.first { $0.user == closed?.founder } ?? anybody : anybody
        guard let user = clients.map(\.user).filter({ $0 != client.user }).randomElement(using: &random) else { return }
        let moderation: Moderation =
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3: .invite(user)
            case 4: .kick(user)
            case 5: .ban(user)
            case 6: .unban(user)
            case 7: .mute(user, for: 1_000)
            case 8: .unmute(user)
            default: .appoint(user, .none)
            }
        give(.moderate(moderation), in: room, to: client)
    }

    /// Once all else is at rest, whoever has a place in such a room is there.
    func enterClosedRooms() {
        for client in clients {
            for room in closed?.rooms ?? [] where hasPlace(client.user, in: room) {
                client.process.after(0) { self.tell(client, .open(room, limit: 32)) }
            }
        }
        // A reader that missed an earlier diff notices it by this one.
        for room in closed?.rooms ?? [] {
            let writer = clients.first { disk.truth(of: room).role(of: $0.user) >= .write }
            if let writer { send("the last word", to: room, from: writer) }
        }
    }

    /// True if the room is open, or somebody is a member or invited, as the disk has it.
    func hasPlace(_ user: UserName, in room: RoomName) -> Bool {
        room.kind == .open || disk.truth(of: room).role(of: user) >= .read
    }

    /// True if somebody may be refused what they were allowed before, or will be.
    func rightsChange(in room: RoomName) -> Bool { weather.isModerated || room.kind != .open }

    // MARK: - Sabotage

    /// The visitor, or a stranger taken for somebody who may come in.
    func mistaken(_ request: SessionRequest, on link: Link, in room: RoomName) -> SessionRequest {
        guard suffers(.openDoor), room.kind != .open,
            case .subscribe(.messages, let visitor, let ref, let limit, let resume) = request,
            absences(of: visitor.user, from: room) == 0,
            let member = clients.map(\.user).first(where: { hasPlace($0, in: room) }), chance(0.3)
        else { return request }
        link.isMistaken.insert(room)
        let other = Visitor(user: member, grant: visitor.grant, visit: visitor.visit)
        return .subscribe(.messages, other, ref: ref, limit: limit, resume)
    }

    /// Counts a strike when a stranger is shown what is in the room.
    func noteMistake(in frame: ServerFrame, on link: Link) {
        if case .snapshot(_, .messages(let room), _) = frame, link.isMistaken.contains(room),
            !hasPlace(link.client.user, in: room)
        {
            strikes += 1
        }
    }
}
