import ChatWire

// Refusals in private and direct rooms. Neither their order nor their time tells whether the room exists, whether it is
// in memory, or how much there is to read of it. For that the store is asked each time, and a refusal is given on the
// second tick after its request.

/// The reading and the ticks that must come before a private or direct room refuses a request.
struct RefusalDelay: Sendable {
    /// The number of the first reading that is asked for after the request; 0 for a request that needs none.
    let reading: UInt64
    /// The number of ticks.
    private var ticksLeft = 2

    init(reading: UInt64 = 0) {
        self.reading = reading
    }

    /// - Parameter readings: the number of readings that have ended.
    func isOver(after readings: UInt64) -> Bool { ticksLeft == 0 && reading <= readings }

    mutating func tick() { ticksLeft = max(0, ticksLeft - 1) }
}

extension RoomState {
    /// True when a request waits that may have to be refused on a refusal tick.
    package var awaitsRefusalTick: Bool {
        room.kind != .open && !(waiting.isEmpty && readRequests.isEmpty && unanswered.isEmpty)
    }

    func mayRefuse(after delay: RefusalDelay) -> Bool {
        room.kind == .open || isOnRefusalTick && delay.isOver(after: readings)
    }

    mutating func tickRefusals() -> [Effect] {
        isOnRefusalTick = true
        defer { isOnRefusalTick = false }
        waiting.tickRefusals()
        for index in readRequests.indices { readRequests[index].delay.tick() }
        for ticket in unanswered.keys { unanswered[ticket]?.delay.tick() }
        return flush() + unanswered.keys.sorted().flatMap { refuseIfDue($0) }
    }

    mutating func refuse(_ ticket: Ticket, _ error: WireError) -> [Effect] {
        unanswered[ticket]?.refusal = error
        return refuseIfDue(ticket)
    }

    private mutating func refuseIfDue(_ ticket: Ticket) -> [Effect] {
        guard let request = unanswered[ticket], let error = request.refusal, mayRefuse(after: request.delay) else {
            return []
        }
        return answer(ticket, .failure(error))
    }

    /// Queries the store about those whom memory would refuse.
    mutating func readForRefusals() -> [Effect] {
        guard room.kind != .open else { return [] }
        let delays = waiting.requests.filter { refusal(of: $0.visitor, .read) != nil }.map(\.delay)
        let isDue = (delays + readRequests.map(\.delay)).contains { $0.reading > readings }
        return isDue ? readForAll() : []
    }
}

extension Refusal {
    /// True for the refusals that a user without a role in the room gets.
    var isOfOutsiders: Bool {
        switch self {
        case .notGranted(_, .none), .shutOut: true
        default: false
        }
    }
}
