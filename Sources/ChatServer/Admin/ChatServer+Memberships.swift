import ChatRoom
import ChatWire
import JSON
import RoomStore
import WebSocketTransport

// People's memberships of rooms, for the operator.

extension ChatServer {
    /// Lists the members of a room and those invited to it. A member that leaves between the two readings is left out.
    func listMembers(of room: RoomName, after: UserName?, limit: Int, _ id: RequestID) {
        load(about: room, id) { (store) throws(RoomStoreError) in
            // Ask for one more than requested: its existence is the value of `more`.
            let users = try store.members(of: room, after: after, limit: limit + 1).map(\.user)
            let readings = try store.memberships(of: Array(users.prefix(limit)), in: room)
            return (users.prefix(limit).compactMap { readings[$0] }, users.count > limit)
        } _: { json, page in
            json.string("room", room.description)
            json.array("members", page.0) { json, reading in
                json.object { json in
                    json.string("user", reading.user.description)
                    reading.write(to: &json)
                }
            }
            json.boolean("more", page.1)
        }
    }

    /// Lists the rooms that a person is a member of or invited to, without the threads that the person follows. There are at
    /// most ``WireLimits/memberships``.
    func listMemberships(of user: UserName, _ id: RequestID) {
        load(about: nil, id) { (store) throws(RoomStoreError) in
            try store.reachableMemberships(of: user)
        } _: { json, reading in
            json.string("user", user.description)
            json.array("rooms", reading.rows.filter { !$0.room.isThread }) { json, reading in
                json.object { json in
                    let room = reading.room
                    json.string("room", room.description)
                    json.string("kind", room.kind.rawValue)
                    if let title = reading.title { json.string("title", title.description) }
                    if room.kind == .direct {
                        json.array("people", reading.people.filter { $0 != user }) { $0.string(nil, $1.description) }
                    }
                    reading.write(to: &json)
                }
            }
            json.missing(reading)
        }
    }
}

extension JSONWriter {
    /// Writes which databases have not answered, as the lists of a person do.
    mutating func missing<Rows>(_ reading: PartialReading<Rows>) {
        guard !reading.missing.isEmpty else { return }
        object("missing") { json in
            json.array("databases", reading.missing.sorted()) { $0.number(nil, $1 + 1) }
        }
    }
}

extension MembershipReading {
    fileprivate func write(to json: inout JSONWriter) {
        json.boolean("invited", kind == .invited)
        if let inviter { json.string("by", inviter.description) }
        json.number("since", time)
        json.number("read", read)
        json.number("unread", unread)
        json.number("mentions", mentions)
        json.string("section", section.rawValue)
        if settings.isMuted { json.boolean("muted", true) }
        if isMarked { json.boolean("marked", true) }
    }
}
