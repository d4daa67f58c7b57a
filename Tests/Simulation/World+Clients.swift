import ChatClient
import ChatWire
import Replicas

// What clients must hold and tell, whatever happens.

extension World {
    /// Checks a change of a list of any kind.
    func check(_ change: any ListChange, of client: Client) {
        switch change {
        case let change as RoomChange: check(change, of: client)
        case let change as MembersChange: client.people[change.room] = change.view
        case let change as PinsChange: client.pins[change.room] = change.view
        case let change as RoomsChange: check(change, of: client)
        case let change as MentionsChange: check(change, of: client)
        default: break
        }
    }

    /// Never torn: what is held is the end of one state, each row in its section; and what is told of a change is what
    /// changed.
    func check(_ change: RoomChange, of client: Client) {
        let before = client.rooms[change.room]?.view
        client.rooms[change.room, default: .init()].view = change.view
        if case .snapshot = change.cause { client.rooms[change.room]?.newestPage = 0 }
        guard let truth = disks[change.view.epoch]?.truth(of: change.room), change.view.revision <= truth.revision
        else {
            return complain("client \(client.index) is at \(change.view.revision), which is not durable")
        }
        if let before, before.epoch == change.view.epoch, before.revision > change.view.revision {
            complain("client \(client.index) goes back from \(before.revision) to \(change.view.revision)")
        }
        let newestPage = client.rooms[change.room]?.newestPage ?? 0
        if change.view.revision >= newestPage { check(change.view, truth, newestPage, of: client) }
        let ids = Set(before?.messages.map(\.id) ?? []).subtracting(change.changes.deleted)
            .union(change.changes.inserted)
        if ids != Set(change.view.messages.map(\.id)) { complain("client \(client.index) is told of other changes") }
    }

    private func check(_ view: RoomView, _ truth: Truth, _ newestPage: Revision, of client: Client) {
        let all = truth.states[Int(view.revision)]
        let held = view.messages
        let right = all.filter { view.held.contains($0.sort) }
        if held.count != right.count || zip(held, right).contains(where: { $0.plain != $1.plain }) {
            complain("client \(client.index) holds other rows at \(view.revision) than there are")
        }
        if !view.hasOlder, all.contains(where: { $0.sort < view.held.ranges[0].lowerBound }) {
            complain("client \(client.index) is wrong about older rows")
        }
        if view.count != all.count { complain("client \(client.index) counts \(view.count), not \(all.count)") }
    }

    func check(_ outcome: Command.Outcome, of command: Command, of client: Client) {
        if client.outcomes.updateValue(outcome, forKey: command.id) != nil {
            complain("command \(command.id) was answered for twice")
        }
    }

    /// Nobody is ever wrong, so nobody ever has to start again.
    func check(_ notice: SessionNotice, of client: Client) {
        switch notice {
        case .nothingOlder: break
        case .resynchronizing(_, .otherEpoch) where disks.count > 1: break
        case .standing: break
        case .refused(.messages(let room), _) where room.kind != .open: break
        case .pageRefused(.messages(let room), _, _) where room.kind != .open: break
        case .ended(.members(let room), _) where rightsChange(in: room),
            .refused(.members(let room), _) where rightsChange(in: room):
            client.people[room] = nil
        case .ended(.pins(let room), _) where rightsChange(in: room),
            .refused(.pins(let room), _) where rightsChange(in: room):
            client.pins[room] = nil
            client.followsPins.remove(room)
        case .ended(let list, _) where list.room.map(rightsChange) ?? false:
            if let room = list.room { reopen(room, for: client, after: 1_000 + upTo(2_000)) }
        case .refused(.messages(let room), _) where weather.isModerated:
            reopen(room, for: client, after: 1_000 + upTo(2_000))
        case .pageRefused where weather.isModerated: break
        // Whoever is not a member any more.
        case .readRefused(_, let error) where error.code == .notFound: break
        // What a page is to be around may have been deleted; and on a new disk there is nothing to be around.
        case .pageRefused(_, .around(.id), let error) where error.code == .notFound: break
        case .pageRefused(_, .around, let error) where error.code == .notFound && disks.count > 1: break
        case .resynchronizing, .refused, .pageRefused, .readRefused, .noFreshToken, .passedOver, .ended, .audit,
            .auditRefused, .found, .searchRefused, .uploading, .uploadRefused, .links, .linksRefused,
            .members, .membersRefused, .draftRefused, .laterStored, .laterRefused,
            .blockStored, .blockRefused:
            complain("client \(client.index): \(notice)")
        }
    }
}

// MARK: - The end

extension World {
    /// After the last trouble everybody has come to what the disk has, and everything was answered.
    var whatIsWrong: [String] {
        let ofRooms = allRooms.flatMap { room in
            [disk.deviation(of: room)]
                + clients.filter { hasPlace($0.user, in: room) }.map { deviation(of: $0, in: room) }
        }
        return ofRooms.compactMap(\.self) + clients.flatMap(unanswered) + clients.flatMap(unaccounted)
            + clients.compactMap(deviationOfRooms) + clients.compactMap(deviationOfMentions)
            + clients.flatMap(unmarked) + clients.flatMap(deviationsOfPins)
    }

    private func deviation(of client: Client, in room: RoomName) -> String? {
        let truth = disk.truth(of: room)
        guard let view = client.session.view(of: room) else { return "client \(client.index) holds nothing" }
        guard view.epoch == disk.epoch, view.revision == truth.revision else {
            return "client \(client.index) is at \(view.revision), not at \(truth.revision)"
        }
        let isRight = view.messages.map(\.plain) == truth.rows.filter { view.held.contains($0.sort) }.map(\.plain)
        return isRight ? nil : "client \(client.index) holds other rows than there are"
    }

    private func unanswered(of client: Client) -> [String] {
        let answered = client.link?.answered ?? []
        let requests = client.link?.asked.filter { $0.value != .ping && !answered.contains($0.key) } ?? [:]
        let commands = client.given.filter { client.outcomes[$0.id] == nil }
        return requests.values.map { "\($0) was never answered" }
            + commands.map { "\($0.action) was never answered for" }
    }

    private func unaccounted(of client: Client) -> [String] {
        allRooms.flatMap { unaccounted(of: client, in: $0) }
    }

    /// Each acknowledged operation is there once, unless another history lost it; no refused one is there; and they stand
    /// in the order in which they were given.
    private func unaccounted(of client: Client, in room: RoomName) -> [String] {
        let truth = disk.truth(of: room)
        let all = client.given.filter { $0.room == room && !lost.contains($0.id) && !$0.action.isItsOwnRepeat }
        var wrong: [String] = []
        for command in all {
            switch (client.outcomes[command.id], truth.commands[command.id]) {
            case (.done(let effect), let revision?) where effect?.revision == revision: break
            case (.done(let effect), nil) where command.action == .leave && effect?.revision == 0: break  // of no room
            case (.refused, nil), (nil, _): break
            case (.refused, _) where rightsChange(in: room) && postponed.contains(command.id): break
            case (.refused, _) where pardoned.contains(command.id): break
            case (let outcome?, let revision):
                wrong.append("\(command.action), durable at \(revision ?? 0), was answered for with \(outcome)")
            }
        }
        let others = clients.filter { $0.user == client.user && $0 !== client }.flatMap(\.given).map(\.id)
        let exempt = postponed.union(past).union(lost).union(pardoned).union(others)
        let given = all.map(\.id).filter { truth.commands[$0] != nil && !exempt.contains($0) }
        let done = truth.commands(of: client.user).filter { !exempt.contains($0) }
        return given == done ? wrong : wrong + ["the commands of client \(client.index) were done in another order"]
    }
}
