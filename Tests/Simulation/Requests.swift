import ChatWire

// What the laws look at in a request.

extension RoomAction {
    /// True for the end of a text that its author has left. The server makes it.
    var isInterruption: Bool { if case .grow(_, .close(.interrupted)) = self { true } else { false } }
}

extension ClientFrame.Request {
    /// The room that it is about; `nil` for none, and for one that it creates.
    var room: RoomName? {
        switch self {
        case .subscribe(let list, _, _), .unsubscribe(let list), .page(let list, _, _): list.room
        case .send(let room, _, _), .edit(let room, _, _, _), .grow(let room, _, _, _), .delete(let room, _, _),
            .react(let room, _, _, _, _), .typing(let room, _), .read(let room, _), .join(let room, _),
            .leave(let room, _),
            .settings(let room, _, _), .moderate(let room, _, _), .audit(let room, _, _):
            room
        case .search(let search): search.room
        case .upload(let upload): upload.room
        case .links(let links): links.room
        case .draft(let room, _), .membersPage(let room, _): room
        case .later(_, let plan): plan?.room
        case .hello, .create, .mentionsPage, .readRooms, .people, .block, .token, .ping: nil
        }
    }

    /// True if the store decides about it.
    var isCommitted: Bool {
        switch self {
        case .send, .edit, .grow, .delete, .react, .join, .leave, .settings, .moderate, .create: true
        case .hello, .subscribe, .unsubscribe, .page, .mentionsPage, .membersPage, .typing, .read, .readRooms, .audit,
            .search, .upload, .links, .people, .draft, .later, .block, .token, .ping:
            false
        }
    }

    /// What kind of request it is, as far as the answer to strangers depends on it.
    var manner: String {
        func name(_ value: Any) -> Substring { "\(value)".prefix { $0 != "(" } }
        return switch self {
        case .moderate(_, _, let moderation): "moderate: \(name(moderation))"
        case .subscribe(.members, _, _): "subscribe to members"
        case .read(_, nil): "readAll"
        default: "\(name(self))"
        }
    }

    var isRead: Bool { if case .read = self { true } else { false } }

    func invitesTo(_ closed: ClosedRooms?) -> Bool {
        if case .moderate(let room, _, .invite) = self { closed?.rooms.contains(room) == true } else { false }
    }

    /// The id of a command.
    var command: CommandID? {
        switch self {
        case .send(_, let id, _): id
        case .edit(_, let command, _, _), .grow(_, let command, _, _), .delete(_, let command, _),
            .react(_, let command, _, _, _),
            .moderate(_, let command, _), .create(let command, _):
            command
        case .join(_, let command), .leave(_, let command), .settings(_, _, let command): command
        case .hello, .subscribe, .unsubscribe, .page, .mentionsPage, .membersPage, .audit, .search, .upload, .links,
            .ping, .typing,
            .read, .readRooms, .people, .draft, .later, .block, .token:
            nil
        }
    }
}
