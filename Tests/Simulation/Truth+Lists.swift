import ChatRoom
import ChatWire
import RoomStore

// What the lists of rooms and mentions of a room's people must show.

extension Truth {
    /// A reader's read mark; `nil` if the room is not in the reader's list.
    func mark(of user: UserName) -> Revision? {
        role(of: user) >= .read ? roster[user]?.read : nil
    }

    /// Counts anew the row that the room has in a reader's list; `nil` if it is not in the list.
    ///
    /// As if nobody were there or wrote.
    func light(of user: UserName) -> MyRoom.Light? {
        guard let person = roster[user], role(of: user) >= .read else { return nil }
        let unread = rows[place(of: person.read + 1, in: rows)...]
        return MyRoom.Light(
            unread: UInt64(unread.count), mentions: UInt64(unread.count { $0.calls(user) }), read: person.read,
            inviter: person.inviter, title: laws[laws.count - 1].title, isMuted: person.settings.isMuted,
            isMarked: person.settings.marked > person.read, last: rows.last.map { LastMessage($0) })
    }

    /// The section of somebody's list of rooms in which the room stands.
    func section(of user: UserName) -> MyRoom.Section {
        guard let person = roster[user], person.kind == .member else { return .invited }
        return person.settings.section
    }

    /// The other people of a direct room.
    func companions(of user: UserName) -> [UserName] {
        kind == .direct ? laws[laws.count - 1].standings.keys.filter { $0 != user }.sorted() : []
    }

    /// When something last happened in the room for a member, whatever the clocks said.
    func lastActivity(for user: UserName) -> Int64 { max(arrival(of: user) * 512, activity) }

    /// The number of edited messages that mention a member and are unread.
    func editedMentions(of user: UserName) -> Int {
        guard let read = roster[user]?.read else { return 0 }
        return rows[place(of: read + 1, in: rows)...].count { $0.edited != nil && $0.calls(user) }
    }

    /// The messages that are there, and mentioned somebody once, but do so no longer.
    func formerMentions(of user: UserName) -> [Message] {
        rows.filter { row in !row.calls(user) && versions[row.id]?.contains { $0.calls(user) } ?? false }
    }

    /// True if a row of a person's list of mentions is what the message was at some moment, read or unread.
    func explains(_ row: MyMention, of user: UserName) -> Bool {
        guard let sort = commands[row.id.message] else { return false }
        return versions[row.id.message]?.contains { version in
            let message = LastMessage(version)
            return version.calls(user) && message.author == row.author && message.time == row.time
                && message.text == row.light.text && roster.wasMember(user, since: version.rev)
        } ?? false && roster.marks(of: user).contains { ($0 >= sort) == row.light.isRead }
    }

    /// True if a row of a person's list of rooms is what the room was at some moment at which it was in the list.
    ///
    /// The counts follow a deletion, or an edit of mentions, only after the store was asked: until then, later messages may
    /// be counted without it. The last message may be older than the counts, if a count from the store overtook the news.
    func explains(_ light: MyRoom.Light, of user: UserName) -> Bool {
        guard roster.marks(of: user).contains(light.read), let first = earliest(showing: light.last) else {
            return false
        }
        return (first...revision).reversed().contains {
            counts(light, of: user, at: $0) && roster.kind(of: user, at: $0) != nil
        }
    }

    /// The first revision at which that was the last message.
    private func earliest(showing last: LastMessage?) -> Revision? {
        let first = last.map { commands[$0.id] } ?? 0
        guard let first else { return nil }
        return (first...revision).first { !isHidden[Int($0)] && states[Int($0)].last.map { LastMessage($0) } == last }
    }

    /// True if the counts are those of a revision, or of an earlier one with the news since.
    private func counts(_ light: MyRoom.Light, of user: UserName, at revision: Revision) -> Bool {
        guard !isHidden[Int(revision)] else { return false }
        var (told, calls): (UInt64, UInt64) = (0, 0)
        var base = Int(revision)
        while true {
            let state = states[base]
            let start = place(of: light.read + 1, in: state)
            let unread = UInt64(state.count - start) + told
            if unread == light.unread, UInt64(state[start...].count { $0.calls(user) }) + calls == light.mentions {
                return true
            }
            // What is told comes without a gap, so not across what others did at once, nor a trimming.
            guard unread <= light.unread, base > 0, base > light.read, !isHidden[base - 1], log[base - 1] != nil else {
                return false
            }
            if case .inserted(let row, _, _) = changes[base] {
                told += 1
                if row.calls(user) { calls += 1 }
            }
            base -= 1
        }
    }
}
