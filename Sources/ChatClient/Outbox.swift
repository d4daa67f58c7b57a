import ChatWire

/// Commands on their way to being acknowledged.
///
/// - Shape: `inFlight` and `waiting` each in the order in which the commands were given; a command stands in one of them
///   until it is answered for good.
/// - Complexity: O(1), amortised, for each command sent and answered; O(waiting) for one that must be said again.
struct Outbox: Sendable {
    /// Commands held at most; one more is refused.
    static let capacity = 10_000

    private struct Entry {
        let order: UInt64
        let command: Command
    }

    private var inFlight: [(ref: UInt64, entry: Entry)] = []
    private var waiting: [Entry] = []
    /// Those of `waiting` before it are gone.
    private var next = 0
    private var nextOrder: UInt64 = 0
    /// Nothing is sent to these rooms before the time: one that is slow keeps no other waiting.
    private var held: [RoomName: Milliseconds] = [:]
    /// Commands that were in flight when the server closed the connection over one of them. They are sent one at a time,
    /// so that the next time it is known which one it was.
    private var suspects: Set<CommandID> = []

    /// Commands that have no final answer.
    var count: Int { inFlight.count + waiting.count - next }
    var isFull: Bool { count >= Self.capacity }
    var hasWaiting: Bool { next < waiting.count }
    /// The next time at which one of them may be sent that may not be sent now; `nil` if there is none.
    func heldUntil(after now: Milliseconds) -> Milliseconds? {
        hasWaiting ? held.values.filter { $0 > now }.min() : nil
    }

    mutating func append(_ command: Command) {
        waiting.append(Entry(order: nextOrder, command: command))
        nextOrder += 1
    }

    /// The next command to send, which is then in flight under `ref`.
    ///
    /// A command about a message whose own `send` is in flight waits for that answer: if the server asked to send it
    /// again, this one would be about nothing.
    mutating func take(ref: UInt64, limit: Int, now: Milliseconds) -> Command? {
        guard hasWaiting, inFlight.count < (suspects.isEmpty ? limit : 1) else { return nil }
        held = held.filter { $0.value > now }
        guard let place = waiting[next...].firstIndex(where: { held[$0.command.room] == nil }) else { return nil }
        let entry = waiting[place]
        let isBlocked = inFlight.contains { $0.entry.command.isSend && $0.entry.command.id == entry.command.target }
        if isBlocked { return nil }
        if place == next { next += 1 } else { waiting.remove(at: place) }
        if next == waiting.count || next > 1_000 { dropTaken() }
        inFlight.append((ref, entry))
        return entry.command
    }

    /// Takes out the command that was answered.
    mutating func answered(ref: UInt64) -> Command? {
        guard let index = inFlight.firstIndex(where: { $0.ref == ref }) else { return nil }
        let command = inFlight.remove(at: index).entry.command
        suspects.remove(command.id)
        return command
    }

    /// Puts a command back to where it was among those that wait, and holds those to the same room.
    mutating func postpone(ref: UInt64, until time: Milliseconds) {
        guard let index = inFlight.firstIndex(where: { $0.ref == ref }) else { return }
        let entry = inFlight.remove(at: index).entry
        putBack([entry])
        held[entry.command.room] = max(held[entry.command.room] ?? time, time)
    }

    /// All answers that were on their way are lost.
    mutating func connectionLost() {
        putBack(inFlight.map(\.entry))
        inFlight = []
        held = [:]
    }

    /// The server has closed the connection over something that it was sent.
    ///
    /// - Returns: the command that it was, which is out now; `nil` if it could have been one of several, or none.
    mutating func accuse() -> Command? {
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
