import ChatClient
import ChatRoom
import ChatWire
import RoomStore

// Absences of everybody, for longer than the store remembers.

extension World {
    /// Everybody goes. Others go on writing elsewhere, lists are trimmed, and it is forgotten what was done before. Then
    /// everybody comes back with what they hold. The troubles go on all the time.
    func sleep(missing count: Int) throws(Standstill) {
        // Twice: whoever was stopped, or had paused, comes back within seconds.
        for time in [9_000, 15_000] as [Milliseconds] {
            for client in clients { client.process.after(0) { self.tell(client, .stop) } }
            try run(for: time)
        }
        let before = Int.random(in: 0...count, using: &random)
        for room in rooms { write(before, to: room) }
        forget()
        for room in rooms { write(count - before, to: room) }
        gather(acts: 10)
        try run(for: 10 * 400)
    }

    /// Others write in a room, at most 10,000 operations in one transaction.
    private func write(_ count: Int, to room: RoomName) {
        var rest = count
        while rest > 0 {
            let rows = disk.truth(of: room).rows
            let batch = (0..<min(rest, 10_000)).map { _ in operation(on: rows.randomElement(using: &random)) }
            commitUnseen(batch, to: room)
            rest -= batch.count
        }
    }

    private func operation(on row: Message?) -> Operation {
        let author = UserName("elsewhere")!
        switch (row, Int.random(in: 0..<30, using: &random)) {
        case (let row?, 0): return operation(.delete(row.id), inTheNameOf: row.author)
        case (let row?, 1):
            return operation(.edit(row.id, ContentEdit("by night", mentions: mentioned())), inTheNameOf: row.author)
        case (let row?, 2): return operation(by: author, .react(row.id, emoji: "🌙", .on))
        default: return operation(by: author, .send(MessageContent("by night", mentions: mentioned())))
        }
    }

    /// An operation that no client here was given.
    private func operation(_ action: RoomAction, inTheNameOf user: UserName) -> Operation {
        let operation = operation(by: user, action)
        past.insert(operation.command)
        return operation
    }

    /// The store forgets what was done before some moment, unless somebody may say a command again that was done before.
    private func forget() {
        let open = clients.flatMap { client in client.given.filter { client.outcomes[$0.id] == nil } }
        let mayRepeat = open.contains { command in
            command.room.map { disk.truth(of: $0).commands[command.id] != nil } ?? false
        }
        guard !mayRepeat, clients.allSatisfy({ $0.link == nil }) else { return tell("nothing may be forgotten") }
        let moments = rooms.flatMap { disk.truth(of: $0).log.compactMap { $0?.instant } }
        let time = Bool.random(using: &random) ? moments.randomElement(using: &random) : moments.max()
        var next = Trimming.Next.after(nil)
        while case .after(let room) = next {
            let trim = Disk.Trim(count: weather.kept, time: (time ?? 0) + 1, room: room)
            guard clock.now >= max(failsUntil, readOnlyUntil, hangsUntil), let step = try? disk.trim(trim) else {
                return
            }
            next = step.next
        }
        tell("forgotten is what was done before \(time ?? 0)")
    }
}
