import ChatClient
import ChatWire
import TerminalUI

/// Making rooms, invitations to private ones, and direct rooms.
extension FullScreen {
    func perform(_ line: RoomLine) {
        switch line {
        case .create(let title): travel(by: client.create(title: title))
        case .createOpen(let room, let title): travel(by: client.create(room, title: title))
        case .message(let text): write(text)
        case .invite(let user): admit(.invite(user))
        case .uninvite(let user): admit(.appoint(user, .none))
        case .accept(let which): answerInvitation(which) { join($0) }
        case .decline(let which): answerInvitation(which) { leave($0) }
        }
    }

    func join(_ room: RoomName) {
        noteSent(client.join(room))
        open(room)
    }

    /// Enters a room that the user would have made, but which is there already.
    func enter(found room: RoomName) {
        let id = client.join(room)
        found.insert(id)
        noteSent(id)
        open(room)
    }

    /// Leaves a room, or declines to come. If only an invitation leads there, it asks first.
    func leave(_ room: RoomName) {
        guard room.kind == .private, !room.isThread else { return leaveOrDecline(room) }
        let isInvited = ownRooms?[room]?.section == .invited
        rooms.shown.controls.mode = .confirming(isInvited ? .decline(labels[room]) : .leave(labels[room]), .keep)
    }

    /// Leaves a room, or declines to come.
    func leaveOrDecline(_ room: RoomName) {
        let id = client.leave(room)
        noteSent(id)
        if ownRooms?[room]?.section == .invited { declined.insert(id) }
    }

    /// The people whom this program has seen in any room, the user excepted.
    var everybody: Set<UserName> {
        let rows = ownRooms?.all ?? []
        let people = rooms.all.reduce(into: Set<UserName>()) { $0.formUnion($1.people) }
        return people.union(rows.flatMap(\.people)).union(rows.compactMap(\.light.last?.author)).subtracting([
            user, .unknown,
        ])
    }

    // MARK: - To another room

    /// Goes to a room once the server has made it, and says the text there.
    private func travel(by id: CommandID, saying text: String = "") {
        noteSent(id)
        journeys[id] = text
    }

    func arrive(in room: RoomName, _ text: String) {
        open(room)
        if !text.isEmpty { rooms.shown.send(.send(text, replyTo: nil)) }
    }

    /// Goes to the direct room with some people, and says there what stands behind the names.
    private func write(_ line: String) {
        do throws(InputError) {
            let to = try Addressee(line, among: everybody)
            let known = ownRooms?.memberships.first { $0.id.kind == .direct && Set($0.people) == Set(to.users) }
            if let known { return arrive(in: known.id, to.text) }
            travel(by: client.direct(with: to.users), saying: to.text)
        } catch {
            showNotice(error.description)
        }
    }

    // MARK: - Invitations

    /// Invites a user, or takes that back.
    private func admit(_ moderation: Moderation) {
        let room = rooms.shown.name
        if let fault = room.faultOfInviting { return showNotice(fault) }
        rooms.shown.send(.moderate(moderation))
    }

    private func answerInvitation(_ which: String, _ answer: (RoomName) -> Void) {
        do throws(InputError) {
            let invitations = ownRooms?.invitations ?? []
            let isShown = which.isEmpty && invitations.contains { $0.id == rooms.shown.name }
            answer(isShown ? rooms.shown.name : try invitations.one(called: which).id)
        } catch {
            showNotice(error.description)
        }
    }

    /// Goes elsewhere when the user is no longer in a room that only its people see.
    func left(_ room: RoomName, _ isDeclined: Bool) {
        let phrase = labels[room].phrase
        if room.isThread { return showNotice("unfollowed") }
        if room.kind != .open {
            if room == rooms.shown.name, let next = elsewhere(than: room) { open(next) }
            rooms.close(room)
            client.close(room)
        }
        showNotice(
            isDeclined ? "you have declined the invitation to \(phrase)" : "you are no member of \(phrase) any more")
    }

    /// Returns the room to go to from one that is not there for the user any more.
    func elsewhere(than room: RoomName) -> RoomName? {
        let others = rooms.all.map(\.name) + (ownRooms?.memberships.map(\.id) ?? [])
        let usual = room.kind == .open ? [] : [options.room, RoomName("lobby")].compactMap(\.self)
        return (others + usual).first { $0 != room }
    }
}

extension [MyRoom] {
    /// Returns the invitation that is called so: by a title, by people, or by the beginning of its name.
    ///
    /// - Parameter which: empty for the only one.
    func one(called which: String) throws(InputError) -> MyRoom {
        guard !isEmpty else { throw InputError("you are invited to no room") }
        let found = which.isEmpty ? self : filter { $0.isCalled(which) }
        guard let first = found.first else { throw InputError("you are invited to no room that is called \(which)") }
        guard found.count == 1 else {
            throw InputError(
                "which one? \(found.map { "\($0.label) (\($0.id.description.prefix(9)))" }.joined(separator: ", "))")
        }
        return first
    }
}

extension MyRoom {
    fileprivate func isCalled(_ which: String) -> Bool {
        let (key, label) = (which.lowercased(), label.description.lowercased())
        return label == key || label.hasPrefix(key) || id.description.hasPrefix(key)
            || id.description.dropFirst().hasPrefix(key)
    }
}
