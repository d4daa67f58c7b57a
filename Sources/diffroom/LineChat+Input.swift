import ChatClient
import ChatWire
import Dispatch
import Replicas
import TerminalUI

extension LineChat {
    func take(_ line: InputLine) throws(InputError) {
        let room = options.room
        switch line {
        case .nothing: credits.signal()
        case .help: help()
        case .older(let count):
            ask(.earlier(count))
            credits.signal()
        case .moderate(let moderation): unanswered.insert(client.moderate(room, moderation))
        case .audit:
            queries.askAudit()
            client.audit(room)
            credits.signal()
        case .who:
            if let members { tell(members) } else { askWho() }
            credits.signal()
        case .join(let other): unanswered.insert(client.join(other ?? room))
        case .leave(let other): leave(other ?? room)
        case .about(let line): try take(line)
        case .set(let line): take(line)
        case .rooms: askRooms()
        case .mentions: askMentions()
        case .quit:
            isQuitting = true
            credits.signal()
        case .say(let text): sent(client.send(text, to: room, mentions: mentions(in: text)))
        case .reply(let which, let text):
            sent(client.send(text, to: room, replyTo: try find(which), mentions: mentions(in: text)))
        case .edit(let which, let text):
            let message = try find(which)
            let mentions = mentions(in: text, of: message)
            unanswered.insert(client.edit(message, in: room, text: text, mentions: mentions))
        case .delete(let which): unanswered.insert(client.delete(try find(which), in: room))
        case .react(let which, let emoji, let direction):
            unanswered.insert(client.react(to: try find(which), in: room, with: emoji, direction))
        }
    }

    private func askRooms() {
        queries.askRooms()
        tellsRooms = true
        tellRooms()
        credits.signal()
    }

    private func askMentions() {
        queries.askMentions()
        tellMentions()
        credits.signal()
    }

    private func help() {
        output.say(InputLine.manual)
        credits.signal()
    }

    private func take(_ line: RoomLine) throws(InputError) {
        switch line {
        case .create(let title): unanswered.insert(client.create(title: title))
        case .invite(let user): try admit(.invite(user))
        case .uninvite(let user): try admit(.appoint(user, .none))
        case .accept(let which): unanswered.insert(client.join(try invitation(which)))
        case .decline(let which): leave(try invitation(which))
        case .message(let line):
            let to = try Addressee(line, among: people)
            let id = client.direct(with: to.users)
            messages[id] = to.text
            unanswered.insert(id)
        }
    }

    private func leave(_ room: RoomName) {
        if room == options.room, room.kind == .private { isLeaving = true }
        unanswered.insert(client.leave(room))
    }

    /// Invites somebody, or takes that back.
    private func admit(_ moderation: Moderation) throws(InputError) {
        if let fault = options.room.faultOfInviting { throw InputError(fault) }
        unanswered.insert(client.moderate(options.room, moderation))
    }

    private func invitation(_ which: String) throws(InputError) -> RoomName {
        let invitations = ownRooms?.invitations ?? []
        let isHere = which.isEmpty && invitations.contains { $0.id == options.room }
        return isHere ? options.room : try invitations.one(called: which).id
    }

    private var people: Set<UserName> {
        Set(view?.messages.map(\.author) ?? []).union(members?.members.map(\.id) ?? [])
    }

    /// Returns whom a text calls, as far as it is known who is here.
    ///
    /// - Parameter message: the message that gets this text; `nil` for a new one.
    private func mentions(in text: String, of message: MessageID? = nil) -> Mentioned {
        let isCalled = message.flatMap { view?.message(at: .id($0)) }?.mentions.everyone ?? false
        let mayCallEveryone = standing.role.mayCallEveryone(in: options.room.kind)
        return Mentions.found(in: text, among: people, mayCallEveryone: mayCallEveryone || isCalled)
    }

    func ask(_ page: OpenQueries.Page) {
        if queries.ask(page) { load(page) }
    }

    func load(_ page: OpenQueries.Page) {
        switch page {
        case .around(let anchor): client.go(to: anchor, in: options.room, limit: options.limit)
        case .earlier(let count):
            // What precedes the end of the room: the last gap, or else older messages.
            if let gap = view?.gaps.last {
                client.fill(gap.id, of: options.room, from: .end, limit: count)
            } else {
                client.older(options.room, limit: count)
            }
        }
    }

    private func askWho() {
        queries.askWho()
        client.openMembers(of: options.room)
    }

    /// Prints the people in the room.
    func tell(_ members: MembersView) {
        for section in Member.Section.allCases where section == .online || members.count(of: section) > 0 {
            let people = members.members.filter { $0.section == section }
            var names = people.map { $0.id.description.neutralized + ($0.light.isTyping ? " (writing)" : "") }
            let rest = members.count(of: section) - names.count
            if rest > 0 { names.append("\(rest) more") }
            output.say("\(section.rawValue): \(names.isEmpty ? "nobody" : names.joined(separator: ", "))")
        }
    }

    /// Prints the user's rooms as often as they were asked for, once the commands before that are acknowledged.
    func tellRooms() {
        guard queries.hasRooms, unanswered.isEmpty else { return }
        guard let ownRooms else { return client.openRooms(limit: .max) }
        for _ in 0..<queries.roomsAnswered() { output.print(ownRooms) }
    }

    /// Prints the messages that mention the user as often as they were asked for, once the commands before that are
    /// acknowledged.
    func tellMentions() {
        guard queries.hasMentions, unanswered.isEmpty else { return }
        guard let mentions else { return client.openMentions() }
        for _ in 0..<queries.mentionsAnswered() { output.print(mentions, labels) }
    }

    private func sent(_ id: MessageID) {
        unanswered.insert(id)
        lastSent = id
    }

    private func find(_ which: InputLine.Which) throws(InputError) -> MessageID {
        switch which {
        case .named(let name):
            guard let view else { throw InputError("the room is not here yet") }
            return try view.message(named: name)
        case .last:
            if let lastSent { return lastSent }
            guard let own = view?.messages.last(where: { $0.author == user }) else {
                throw InputError("none of the messages shown is yours")
            }
            return own.id
        }
    }
}
