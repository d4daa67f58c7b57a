import ChatRoom
import ChatWire

// Whoever is neither a member of a private or direct room nor invited hears nothing of it, not even that it is there.

extension World {
    /// The number of times that somebody who has no place in a room had come or gone; `nil` for those who have one.
    func absences(of user: UserName, from room: RoomName) -> Int? {
        let rosters = disks.values.map { $0.truth(of: room).roster }
        return rosters.allSatisfy { $0[user] == nil } ? rosters.reduce(0) { $0 + $1.turns(of: user) } : nil
    }

    /// A frame tells of no room in which its reader never had a place, and refuses strangers as if there were none.
    func checkSecrecy(of frame: ServerFrame, _ request: ClientFrame.Request?, on link: Link) {
        guard closed != nil else { return }
        let user = link.client.user
        for room in frame.rooms where room.kind != .open && absences(of: user, from: room) == 0 {
            complain("\(user) never had a place in \(room), and is told \(frame)")
        }
        guard case .error(let ref?, let error) = frame, let request, let before = link.absences[ref],
            let room = request.room, absences(of: user, from: room) == before,
            // Of what happened elsewhere a server hears a little later, but the store knows it.
            before == 0 || request.isCommitted
        else { return }
        checkRefusal(of: request, error, in: room)
    }

    /// Refused is a stranger in the same words as in a room that never was.
    private func checkRefusal(of request: ClientFrame.Request, _ error: WireError, in room: RoomName) {
        guard error.code != .unavailable, error.code != .rateLimited else { return }
        let answer = "\(error)".replacing(room.description, with: "ROOM")
        let question = "\(request.manner) in a room that is \(room.kind)"
        guard let other = closed?.note(answer, to: question) else { return }
        complain("to \(question) a stranger is answered \(answer) in one and \(other) in another")
    }

    /// Nobody who has no place in the room then is shown what is in it.
    func checkPlace(of user: UserName, in room: RoomName, at revision: Revision, _ truth: Truth) {
        guard revision < truth.laws.count else { return }
        let role = truth.laws[Int(revision)].role(of: user, granted: .write)
        if role < .read { complain("\(user) was put out of \(room), and is told of revision \(revision)") }
    }
}

extension ServerFrame {
    /// The rooms that it tells anything of, or names of its own accord.
    fileprivate var rooms: [RoomName] {
        switch self {
        case .ok(_, let effect): effect?.list.room.map { [$0] } ?? []
        case .roomsRead(_, let rooms): rooms.map(\.room)
        case .snapshot(_, .myRooms, let snapshot as ServerFrame.Snapshot<MyRoom>): snapshot.snapshot.rows.map(\.id)
        case .diff(_, .myRooms, _, let diff as ListDiff<MyRoom>):
            diff.deletions + diff.moves.map(\.id) + (diff.insertions + diff.reloads).map(\.id)
                + diff.reconfigurations.map(\.id)
        case .snapshot(_, .myMentions, let snapshot as ServerFrame.Snapshot<MyMention>):
            snapshot.snapshot.rows.map(\.id.room)
        case .page(_, .myMentions, _, let page as MentionsPage): page.rows.map(\.id.room)
        case .diff(_, .myMentions, _, let diff as ListDiff<MyMention>):
            diff.deletions.map(\.room) + (diff.insertions + diff.reloads).map(\.id.room)
                + diff.reconfigurations.map(\.id.room)
        case .snapshot(_, let list, _), .diff(_, let list, _, _), .page(_, let list, _, _), .ended(let list, _):
            list.room.map { [$0] } ?? []
        case .audit(_, let room, _), .standing(let room, _): [room]
        case .found(_, let page): page.results.map(\.room)
        case .welcome, .error, .pong, .uploading, .links, .expiring, .bye: []
        }
    }
}
