import ChatClient
import ChatWire
import Dispatch
import Replicas
import TerminalUI

extension LineChat {
    func handle(_ line: InputLine) throws(InputError) {
        let room = target
        switch line {
        case .nothing: credits.signal()
        case .help: help()
        case .older(let count): requestEarlier(count)
        case .moderate(let moderation): unanswered.insert(client.moderate(room, moderation))
        case .audit:
            here.queries.requestAudit()
            client.audit(room)
            credits.signal()
        case .who(let name?): find(name)
        case .who(nil):
            if let members = here.members { printMembers(members, in: room) } else { requestMembers() }
            credits.signal()
        case .to(let other): try turn(to: other)
        case .join(let other): unanswered.insert(client.join(other ?? room))
        case .leave(let other): leave(other ?? room)
        case .about(let line): try handle(line)
        case .set(let line): handle(line)
        case .rooms, .threads, .mentions, .olderMentions: request(line)
        case .search(let request): search(request)
        case .pins(let line): try handle(line)
        case .later(let line): try handle(line)
        case .block(let line): handle(line)
        case .upload(let line): begin(line)
        case .links(let which): try requestLinks(which)
        case .quit: quit()
        case .send(let text): sent(client.send(text, to: room, mentions: mentions(in: text)))
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

    private func quit() {
        isQuitting = true
        credits.signal()
    }

    /// Makes another room the one that lines go to.
    private func turn(to room: RoomName) throws(InputError) {
        guard rooms[room]?.hasEnded == false else {
            throw InputError("\(labels[room].phrase) is not followed: --room '\(room)' follows it from the start")
        }
        target = room
        output.report("lines go to \(labels[room].phrase) now")
        credits.signal()
    }

    /// Requests a list of the user's.
    private func request(_ line: InputLine) {
        switch line {
        case .threads: requestThreads()
        case .mentions: requestMentions()
        case .olderMentions: requestOlderMentions()
        default: requestRooms()
        }
    }

    private func requestRooms() {
        queries.requestRooms()
        printsRooms = true
        printRooms()
        credits.signal()
    }

    private func requestThreads() {
        queries.requestThreads()
        printThreads()
        credits.signal()
    }

    private func requestMentions() {
        queries.requestMentions()
        printMentions()
        credits.signal()
    }

    private func requestOlderMentions() {
        queries.requestOlderMentions()
        client.openMentions()
        client.olderMentions()
        credits.signal()
    }

    private func requestEarlier(_ count: Int) {
        request(.earlier(count), in: target)
        credits.signal()
    }

    private func search(_ request: SearchRequest) {
        queries.requestSearch()
        client.search(request, id: .random())
        credits.signal()
    }

    private func handle(_ line: PinLine) throws(InputError) {
        switch line {
        case .list: requestPins()
        case .pin(let which, .last): pin(.pin(try find(which), .last))
        case .pin(let which, .before(let other)): pin(.pin(try find(which), .before(try find(other))))
        case .pin(let which, .after(let other)): pin(.pin(try find(which), .after(try find(other))))
        case .unpin(let which): pin(.unpin(try find(which)))
        }
    }

    private func pin(_ moderation: Moderation) {
        unanswered.insert(client.moderate(target, moderation))
    }

    private func requestPins() {
        guard !target.isThread else {
            output.report("a thread has no pinned messages")
            credits.signal()
            return
        }
        here.queries.requestPins()
        client.openPins(of: target)
        printPins(of: target)
        credits.signal()
    }

    /// Prints the pinned messages of a room as often as they were asked for, once the commands before that are acknowledged.
    func printPins(of room: RoomName) {
        guard unanswered.isEmpty, let pins = rooms[room]?.pins else { return }
        for _ in 0..<(rooms[room]?.queries.pinsAnswered() ?? 0) { output.print(pins, of: labels[room]) }
    }

    private func help() {
        output.explain(InputLine.manual)
        credits.signal()
    }

    private func handle(_ line: RoomLine) throws(InputError) {
        switch line {
        case .create(let title): unanswered.insert(client.create(title: title))
        case .createOpen(let room, let title): unanswered.insert(client.create(room, title: title))
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
        if room.kind == .private { rooms[room]?.isLeaving = true }
        unanswered.insert(client.leave(room))
    }

    /// Invites a user, or takes that back.
    private func admit(_ moderation: Moderation) throws(InputError) {
        if let fault = target.faultOfInviting { throw InputError(fault) }
        unanswered.insert(client.moderate(target, moderation))
    }

    private func invitation(_ which: String) throws(InputError) -> RoomName {
        let invitations = ownRooms?.invitations ?? []
        let isHere = which.isEmpty && invitations.contains { $0.id == target }
        return isHere ? target : try invitations.one(called: which).id
    }

    private var people: Set<UserName> {
        Set(here.view?.messages.map(\.author) ?? []).union(here.members?.members.map(\.id) ?? []).subtracting([.unknown]
        )
    }

    /// Returns the people that a text mentions, as far as the members are known.
    ///
    /// - Parameter message: the message that gets this text; `nil` for a new one.
    func mentions(in text: String, of message: MessageID? = nil) -> Mentioned {
        let isCalled = message.flatMap { here.view?.message(at: .id($0)) }?.mentions.everyone ?? false
        let mayCallEveryone = here.standing.role.mayCallEveryone(in: target.kind)
        return Mentions.found(in: Markdown.spoken(text), among: people, mayCallEveryone: mayCallEveryone || isCalled)
    }

    func request(_ page: OpenQueries.Page, in room: RoomName) {
        if rooms[room]?.queries.request(page) ?? false { load(page, in: room) }
    }

    func load(_ page: OpenQueries.Page, in room: RoomName) {
        switch page {
        case .around(let anchor): client.go(to: anchor, in: room, limit: options.limit)
        case .earlier(let count):
            // Before the end of the room is the last gap, or else older messages.
            if let gap = rooms[room]?.view?.gaps.last {
                client.fill(gap.id, of: room, from: .end, limit: count)
            } else {
                client.older(room, limit: count)
            }
        }
    }

    private func requestMembers() {
        here.queries.requestMembers()
        client.openMembers(of: target)
    }

    /// Prints the people who belong to the room and have such a name.
    private func find(_ name: String) {
        let (room, client) = (target, client)
        here.queries.requestPeople()
        credits.signal()
        Task { [self] in
            let found = await client.members(MembersSearch(name, limit: 50), of: room)
            queue.async { self.found(found, name, in: room) }
        }
    }

    private func found(_ people: Result<MembersPage, WireError>, _ name: String, in room: RoomName) {
        rooms[room]?.queries.peopleAnswered()
        switch people {
        case .success(let page):
            var names = page.rows.map { "\($0.id.description.neutralized) (\($0.section.rawValue))" }
            if page.after != nil { names.append("more") }
            let text = names.isEmpty ? "nobody has that name" : names.joined(separator: ", ")
            report("\(name.neutralized): \(text)", of: room)
        case .failure(let error): fail(error.message)
        }
        endIfDone()
    }

    /// Prints the people of a room.
    func printMembers(_ members: MembersView, in room: RoomName) {
        for section in Member.Section.allCases where section == .online || members.count(of: section) > 0 {
            let people = members.members.filter { $0.section == section }
            var names = people.map { $0.id.description.neutralized + ($0.light.isTyping ? " (writing)" : "") }
            let rest = members.count(of: section) - names.count
            if rest > 0 { names.append("\(rest) more") }
            report("\(section.rawValue): \(names.isEmpty ? "nobody" : names.joined(separator: ", "))", of: room)
        }
    }

    /// Prints the user's rooms as often as they were asked for, once the commands before that are acknowledged.
    func printRooms() {
        guard queries.hasRooms, unanswered.isEmpty else { return }
        guard let ownRooms else { return client.openRooms(limit: .max) }
        for _ in 0..<queries.roomsAnswered() { output.print(ownRooms) }
    }

    /// Prints the threads that the user follows as often as they were asked for, once the commands before that are
    /// acknowledged.
    func printThreads() {
        guard queries.hasThreads, unanswered.isEmpty else { return }
        guard let threads else { return client.openThreads(limit: .max) }
        for _ in 0..<queries.threadsAnswered() { output.print(threads: threads, labels) }
    }

    /// Prints the messages that mention the user as often as they were asked for, once the commands before that are
    /// acknowledged.
    func printMentions() {
        guard queries.hasMentions, unanswered.isEmpty else { return }
        guard let mentions else { return client.openMentions() }
        for _ in 0..<queries.mentionsAnswered() { output.print(mentions, labels) }
    }

    func sent(_ id: MessageID) {
        unanswered.insert(id)
        here.lastSent = id
    }

    func find(_ which: InputLine.Which) throws(InputError) -> MessageID {
        switch which {
        case .named(let name):
            guard let view = here.view else { throw InputError("the room is not here yet") }
            return try view.message(named: name)
        case .last:
            if let lastSent = here.lastSent { return lastSent }
            guard let own = here.view?.messages.last(where: { $0.author == user }) else {
                throw InputError("none of the messages shown is yours")
            }
            return own.id
        }
    }
}

extension ChatClient {
    /// Returns people who belong to a room, or the refusal.
    fileprivate func members(_ search: MembersSearch, of room: RoomName) async -> Result<MembersPage, WireError> {
        do {
            return .success(try await self.room(room).members(search))
        } catch {
            return .failure(error as? WireError ?? WireError(.overloaded, "there was no answer"))
        }
    }
}
