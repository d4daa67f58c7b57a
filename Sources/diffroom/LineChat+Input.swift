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
        case .help:
            output.say(InputLine.manual)
            credits.signal()
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
        case .leave(let other): unanswered.insert(client.leave(other ?? room))
        case .rooms:
            queries.askRooms()
            tellRooms()
            credits.signal()
        case .quit:
            isQuitting = true
            credits.signal()
        case .say(let text): sent(client.send(text, to: room))
        case .reply(let which, let text): sent(client.send(text, to: room, replyTo: try find(which)))
        case .edit(let which, let text): unanswered.insert(client.edit(try find(which), in: room, text: text))
        case .delete(let which): unanswered.insert(client.delete(try find(which), in: room))
        case .react(let which, let emoji, let direction):
            unanswered.insert(client.react(to: try find(which), in: room, with: emoji, direction))
        }
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
        guard let ownRooms else { return client.openRooms() }
        for _ in 0..<queries.roomsAnswered() { output.print(ownRooms) }
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
