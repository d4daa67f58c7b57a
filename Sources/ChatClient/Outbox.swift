import ChatWire

/// The commands without a final answer.
///
/// - Shape: `inFlight` and `waiting` each keep the order in which the commands were given. A command stands in one of
///   them until its final answer.
/// - Complexity: O(1), amortised, for each command sent and answered; O(waiting) for one that must be sent again.
struct Outbox: Sendable {
    /// The most commands held; a further one is refused.
    static let capacity = 10_000

    private struct Entry {
        let order: UInt64
        let command: Command
    }

    private var inFlight: [(ref: UInt64, entry: Entry)] = []
    private var waiting: [Entry] = []
    /// The commands of `waiting` before this index are gone.
    private var next = 0
    private var nextOrder: UInt64 = 0
    /// The time before which nothing is sent to a room. A slow room holds up no other one.
    private var held: [RoomName?: Milliseconds] = [:]
    /// The commands that were in flight when the server closed the connection over one of them.
    ///
    /// They are sent one at a time, so that the next close shows which one it was.
    private var suspects: Set<CommandID> = []

    /// The number of commands without a final answer.
    var count: Int { inFlight.count + waiting.count - next }
    var isFull: Bool { count >= Self.capacity }
    var hasWaiting: Bool { next < waiting.count }
    /// Returns the earliest time at which a held room's commands may be sent; `nil` if none is held.
    func heldUntil(after now: Milliseconds) -> Milliseconds? {
        hasWaiting ? held.values.filter { $0 > now }.min() : nil
    }

    mutating func append(_ command: Command) {
        waiting.append(Entry(order: nextOrder, command: command))
        nextOrder += 1
    }

    /// Removes the next command to send, which is then in flight under `ref`.
    ///
    /// A command that depends on one in flight waits for that answer, because the server may ask for the other one again.
    mutating func dequeue(ref: UInt64, limit: Int, now: Milliseconds) -> Command? {
        guard hasWaiting, inFlight.count < (suspects.isEmpty ? limit : 1) else { return nil }
        held = held.filter { $0.value > now }
        guard let place = waiting[next...].firstIndex(where: { held[$0.command.room] == nil }) else { return nil }
        let entry = waiting[place]
        if inFlight.contains(where: { entry.command.depends(on: $0.entry.command) }) { return nil }
        if place == next { next += 1 } else { waiting.remove(at: place) }
        if next == waiting.count || next > 1_000 { dropTaken() }
        inFlight.append((ref, entry))
        return entry.command
    }

    /// Removes the command that was answered.
    mutating func answered(ref: UInt64) -> Command? {
        guard let index = inFlight.firstIndex(where: { $0.ref == ref }) else { return nil }
        let command = inFlight.remove(at: index).entry.command
        suspects.remove(command.id)
        return command
    }

    /// Puts a command back into its place among the waiting ones, and holds those to the same room.
    mutating func postpone(ref: UInt64, until time: Milliseconds) {
        guard let index = inFlight.firstIndex(where: { $0.ref == ref }) else { return }
        let entry = inFlight.remove(at: index).entry
        putBack([entry])
        held[entry.command.room] = max(held[entry.command.room] ?? time, time)
    }

    /// Puts back all commands whose answers were lost with the connection.
    mutating func connectionLost() {
        putBack(inFlight.map(\.entry))
        inFlight = []
        held = [:]
    }

    /// Finds the command over which the server has closed the connection.
    ///
    /// - Returns: the command, which is then removed; `nil` if none or several were in flight.
    mutating func removeSuspect() -> Command? {
        guard inFlight.count == 1 else {
            suspects.formUnion(inFlight.map(\.entry.command.id))
            return nil
        }
        return answered(ref: inFlight[0].ref)
    }

    private mutating func putBack(_ entries: [Entry]) {
        guard !entries.isEmpty else { return }
        dropTaken()
        waiting.append(contentsOf: entries)
        waiting.sort { $0.order < $1.order }
    }

    private mutating func dropTaken() {
        waiting.removeFirst(next)
        next = 0
    }
}
