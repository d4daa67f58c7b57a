import ChatRoom
import ChatWire

/// One room of an ``InMemoryStore``.
///
/// - Shape: `operations[n]` has revision n + 1; `rows` ascending by sort key.
struct InMemoryRoom: Sendable {
    private(set) var operations: [CommittedOperation] = []
    private(set) var rows: [Entry] = []
    private(set) var audit: [AuditEntry] = []
    private var ruling = RoomRules()
    private var commands: [CommandID: Revision] = [:]
    private var tombstones: [MessageID: RoomChange] = [:]

    struct Entry: Sendable {
        var row: Message
        /// The revision that last replaced its content.
        var reloaded: Revision
    }

    var revision: Revision { Revision(operations.count) }

    /// Without when users sent last.
    var rules: RoomRules {
        var rules = ruling
        rules.lastSends = [:]
        return rules
    }

    mutating func apply(_ operation: Operation, limits: WireLimits) -> CommitOutcome {
        if let before = commands[operation.command] {
            return operation.repeats(operations[Int(before - 1)].operation) ? .repeated(before) : .conflict
        }
        let next = revision + 1
        do {
            let row = operation.message.flatMap(entry)?.row
            let change = try operation.fold(onto: row, under: ruling, at: next, limits: limits)
            take(change, at: next)
            ruling.apply(change)
            if let deed = operation.deed(to: row) {
                let (time, author) = (operation.time, operation.author)
                audit.append(AuditEntry(revision: next, time: time, author: author, deed: deed))
            }
            operations.append(CommittedOperation(revision: next, operation: operation))
            commands[operation.command] = next
            return .committed(next, change)
        } catch {
            return .refused(error)
        }
    }

    private mutating func take(_ change: RowChange, at next: Revision) {
        switch change {
        case .inserted(var row):
            row.section = .history
            rows.append(Entry(row: row, reloaded: next))
        case .reloaded(let row):
            rows[place(of: row.sort)] = Entry(row: row, reloaded: next)
        case .reconfigured(let row):
            rows[place(of: row.sort)].row = row
        case .deleted(let id):
            guard let row = entry(id)?.row else { preconditionFailure("deleted \(id), which is not there") }
            tombstones[id] = .tombstone(id, sort: row.sort, rev: next)
            rows.remove(at: place(of: row.sort))
        case .ruled, .nothing:
            break
        }
    }

    /// A message is found by the revision of its send.
    private func entry(_ id: MessageID) -> Entry? {
        guard let sort = commands[id] else { return nil }
        let place = place(of: sort)
        return place < rows.count && rows[place].row.id == id ? rows[place] : nil
    }

    /// Where the first row stands whose sort key is `sort` or above.
    func place(of sort: UInt64) -> Int {
        var places = 0..<rows.count
        while !places.isEmpty {
            let middle = places.lowerBound + places.count / 2
            places = rows[middle].row.sort < sort ? middle + 1..<places.upperBound : places.lowerBound..<middle
        }
        return places.lowerBound
    }

    func changes(since: Revision?, atMost: Int) -> RoomReading.Changes {
        guard let since else { return .none }
        guard since <= revision else { return .future }
        let touched = Set(operations[Int(since)...].compactMap(\.operation.message))
        let changes = touched.compactMap(latestChange).filter { $0.rev > since }
        return changes.count > atMost ? .tooMany : .all(changes.sorted { $0.rev < $1.rev })
    }

    private func latestChange(of id: MessageID) -> RoomChange? {
        entry(id).map { .row($0.row, reloaded: $0.reloaded) } ?? tombstones[id]
    }
}
