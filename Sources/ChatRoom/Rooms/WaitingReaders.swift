import ChatWire

/// The readers that have subscribed or fallen behind, and are not at the published revision yet, numbered in the order
/// in which they came.
///
/// A reader is due until the room has tried to serve it. It is due again when the store's answer has come, or when the
/// room has changed.
///
/// - Complexity: O(1) for a reader that comes, is tried, gets its answer or leaves, however many others wait.
struct WaitingReaders: Sendable {
    private var readers: [Ticket: RoomState.Waiting] = [:]
    private var tickets: [Reader: [Ticket]] = [:]
    private var due: Set<Ticket> = []
    /// The readers that are due, in the order in which they are tried. Those in ``latest`` are due, too.
    private var line: ArraySlice<Ticket> = []
    /// The readers that became due since the line was made.
    private var latest: [Ticket] = []
    /// The readers whose rows were read for them alone. They are tried first, because what was read is large.
    private var urgent: [Ticket] = []

    /// True when a reader is due.
    var hasDue: Bool { !due.isEmpty }

    var isEmpty: Bool { readers.isEmpty }

    subscript(ticket: Ticket) -> RoomState.Waiting? { readers[ticket] }

    /// - Parameter ticket: a higher number than all before.
    mutating func add(_ waiting: RoomState.Waiting, as ticket: Ticket) {
        readers[ticket] = waiting
        tickets[waiting.reader, default: []].append(ticket)
        makeDue(ticket)
    }

    private mutating func makeDue(_ ticket: Ticket) {
        if due.insert(ticket).inserted { latest.append(ticket) }
        // Readers that left are not removed from it, or leaving would cost a search.
        if latest.count > 2 * due.count + 64 { latest = Array(due) }
    }

    @discardableResult
    mutating func remove(_ ticket: Ticket) -> RoomState.Waiting? {
        guard let waiting = readers.removeValue(forKey: ticket) else { return nil }
        due.remove(ticket)
        tickets[waiting.reader]?.removeAll { $0 == ticket }
        if tickets[waiting.reader]?.isEmpty == true { tickets[waiting.reader] = nil }
        return waiting
    }

    /// Removes all of one reader's, in order.
    mutating func removeAll(of reader: Reader) -> [RoomState.Waiting] {
        (tickets[reader] ?? []).compactMap { remove($0) }
    }

    /// Removes a reader's requests before the last one, in order.
    mutating func removeSuperseded(of reader: Reader) -> [RoomState.Waiting] {
        let requests = (tickets[reader] ?? []).filter { readers[$0]?.request != nil }
        return requests.dropLast().compactMap { remove($0) }
    }

    /// Removes a reader that fell behind.
    mutating func removeFallen(_ reader: Reader) {
        for ticket in tickets[reader] ?? [] where readers[ticket]?.request == nil { remove(ticket) }
    }

    /// Removes all, in order.
    mutating func removeAll() -> [RoomState.Waiting] {
        defer { self = WaitingReaders() }
        return readers.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Returns the number of the next reader to be tried, which is not due any more; `nil` if none is due.
    ///
    /// - Complexity: O(1) amortised for readers that became due in their order; O(*n* log *n*) for *n* others.
    mutating func popDue() -> Ticket? {
        while let ticket = urgent.popLast() ?? nextInLine() {
            if due.remove(ticket) != nil { return ticket }
        }
        return nil
    }

    private mutating func nextInLine() -> Ticket? {
        if !latest.isEmpty {
            latest.sort()
            let isInOrder = (line.last ?? 0) < latest[0]
            line.append(contentsOf: latest)
            if !isInOrder { line.sort() }
            latest = []
        }
        defer { if line.isEmpty { line = [] } }  // a slice keeps the elements before it
        return line.popFirst()
    }

    /// The numbers of all readers that wait, ascending.
    ///
    /// - Complexity: O(*n* log *n*) for *n* readers.
    var all: [Ticket] { readers.keys.sorted() }

    /// Keeps a reader that was tried in vain.
    mutating func keep(_ waiting: RoomState.Waiting, as ticket: Ticket) {
        readers[ticket] = waiting
    }

    /// Handles the store's reading of the rows that a reader holds. An answer that no reader awaits has no effect.
    mutating func apply(_ reading: HeldReading, for ticket: Ticket) {
        guard let waiting = readers[ticket], waiting.awaitsStore else { return }
        readers[ticket]?.held = .read(reading)
        readers[ticket]?.readings += 1
        makeDue(ticket)
        urgent.append(ticket)
    }

    /// Replaces the visitor of a reader's requests.
    mutating func updateGrant(_ reader: Reader, _ grant: Role) {
        for ticket in tickets[reader] ?? [] {
            guard let (visitor, ref) = readers[ticket]?.request else { continue }
            readers[ticket]?.request = (visitor.granted(grant), ref)
            makeDue(ticket)
        }
    }

    /// Makes all due, because the room has changed. Those that await the store's answer are due when it comes.
    ///
    /// - Complexity: O(readers).
    mutating func tryAgain() {
        for (ticket, waiting) in readers where !waiting.awaitsStore { makeDue(ticket) }
    }

    /// Counts a refusal tick for all, and makes them due.
    ///
    /// - Complexity: O(readers).
    mutating func tickRefusals() {
        for ticket in readers.keys { readers[ticket]?.delay.tick() }
        tryAgain()
    }

    /// The visitors that wait for an answer, each with the delay of a refusal.
    ///
    /// - Complexity: O(readers).
    var requests: [(visitor: Visitor, delay: RefusalDelay)] {
        readers.values.compactMap { waiting in waiting.request.map { ($0.visitor, waiting.delay) } }
    }

    /// The most rows that a reader asks for.
    ///
    /// - Complexity: O(readers).
    var limit: Int { readers.values.map(\.limit).max() ?? 0 }

    /// The oldest revision of the readers that may get a diff.
    ///
    /// - Complexity: O(readers).
    func oldestResume(of epoch: Epoch) -> Revision? {
        readers.values.compactMap { $0.resume?.epoch == epoch ? $0.resume?.revision : nil }.min()
    }
}
