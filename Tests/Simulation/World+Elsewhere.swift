import ChatRoom
import ChatWire
import RoomStore

// Another server on the same store, of an earlier version: it let in names in any spelling.

extension World {
    /// Messages and rights from before any of these people came.
    func past(of room: RoomName) -> [RoomOperation] {
        let authors = weather.hasTwins ? [UserName("before")!, Self.twin, Self.otherTwin] : [UserName("before")!]
        var past = (0..<Int.random(in: 0...50, using: &random)).map { number in
            operation(by: authors[number % authors.count], .send("number \(number)"))
        }
        if weather.isModerated { past.append(rooted(.appoint(clients[0].user, .own))) }
        if weather.hasTwins { past.append(rooted(.appoint(Self.otherTwin, .moderate))) }
        return past.map { RoomOperation(room: room, operation: $0) }
    }

    /// The one who looks like somebody here says something, or tries what only that one may; or is put in their place.
    func actElsewhere() {
        let room = rooms.randomElement(using: &random)!
        let operation = actionElsewhere(in: room)
        tell("elsewhere in \(room): \(operation)")
        commitUnheard([.operation(RoomOperation(room: room, operation: operation))], on: disk)
        guard Bool.random(using: &random), let server = anyServer(), let head = head(of: room, on: disk) else { return }
        server.process.after(latency()) { server.announce(head, of: room) }  // a hint, which may be lost
    }

    private func actionElsewhere(in room: RoomName) -> Operation {
        let rows = disk.truth(of: room).rows.suffix(20)
        let own = rows.filter { $0.author == Self.otherTwin }.randomElement(using: &random)?.id
        let twins = rows.filter { $0.author == Self.twin }.randomElement(using: &random)?.id
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: if let twins { return operation(by: Self.otherTwin, .edit(twins, "mine now")) }
        case 2: if let own { return operation(by: Self.otherTwin, .edit(own, "at \(clock.now)")) }
        case 3: if let own { return operation(by: Self.otherTwin, .delete(own)) }
        case 4: if let twins { return operation(by: Self.otherTwin, .react(twins, emoji: "👍", .on)) }
        case 5: return rooted(Bool.random(using: &random) ? .ban(Self.otherTwin) : .unban(Self.otherTwin))
        case 6: return rooted(.mute(Self.otherTwin, for: 1_000))
        default: break
        }
        return operation(by: Self.otherTwin, .send(MessageContent("message at \(clock.now)", replyTo: own)))
    }

    private func rooted(_ moderation: Moderation) -> Operation {
        operation(by: UserName("root")!, .moderate(moderation), as: .own)
    }

    func operation(by author: UserName, _ action: RoomAction, as role: Role = .write) -> Operation {
        Operation(command: .random(using: &random), author: author, role: role, time: timeOfDay, action: action)
    }
}
