import ChatRoom
import ChatWire
import TestSupport

/// A room in the plainest form: every state that it ever had, whole.
struct RoomModel {
    private(set) var states: [[Message]] = [[]]
    private(set) var changes: [RowChange] = [.nothing]
    /// The revision that gave each message its present content.
    private var reloads: [[MessageID: Revision]] = [[:]]
    /// The beginning of the list at each revision.
    private var starts: [UInt64] = [0]
    private var graves: [(id: MessageID, sort: UInt64, rev: Revision)] = []

    var revision: Revision { Revision(states.count - 1) }
    var rows: [Message] { states[states.count - 1] }

    init() {}

    /// A room with a history of `length` random operations.
    init(operations length: Int, using random: inout SplitMix64) {
        for _ in 0..<length { commit(randomOperation(using: &random)) }
    }

    /// Folds the operation. Returns its effect, or `nil` when it was refused.
    @discardableResult
    mutating func commit(_ operation: Operation) -> RowChange? {
        let row = rows.first { $0.id == operation.message }
        let folded = try? operation.fold(onto: row, under: RoomRules(of: .open), at: revision + 1, limits: WireLimits())
        guard let change = folded else { return nil }
        append(change)
        return change
    }

    private mutating func append(_ change: RowChange) {
        var rows = rows
        var reload = reloads[reloads.count - 1]
        switch change {
        case .inserted(let row, _, _):
            rows.append(row)
            reload[row.id] = row.rev
        case .reloaded(let row):
            rows = rows.map { $0.id == row.id ? row : $0 }
            reload[row.id] = row.rev
        case .reconfigured(let row):
            rows = rows.map { $0.id == row.id ? row : $0 }
        case .deleted(let id, let sort):
            graves.append((id, sort, revision + 1))
            rows.removeAll { $0.id == id }
        case .ruled, .joined, .left, .settings, .affiliated, .created, .nothing:
            break
        }
        states.append(rows)
        starts.append(starts[starts.count - 1])
        reloads.append(reload)
        changes.append(change)
    }

    /// Trims the first rows, as another program does, at a revision that nobody is told of.
    mutating func trim(_ count: Int) {
        guard let last = rows.prefix(count).last else { return }
        states.append(Array(rows.dropFirst(count)))
        starts.append(last.sort + 1)
        reloads.append(reloads[reloads.count - 1])
        changes.append(.nothing)
    }

    func randomOperation(using random: inout SplitMix64) -> Operation {
        let author = UserName("ann")!
        let reader = ["ann", "bob", "cid", "dan"].randomElement(using: &random).flatMap { UserName($0) } ?? author
        let command = CommandID.random(using: &random)
        func operation(_ action: RoomAction, by author: UserName = author) -> Operation {
            Operation(command: command, author: author, role: .write, time: 0, action: action)
        }
        guard let target = rows.randomElement(using: &random), Int.random(in: 0..<10, using: &random) > 3 else {
            return operation(.send("text \(random.next() % 100)"))
        }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return operation(.edit(target.id, "edit \(random.next() % 5)"))
        case 1: return operation(.delete(target.id))
        default:
            let isOn = Int.random(in: 0..<3, using: &random) > 0
            let emoji = ["+", "-"].randomElement(using: &random)!
            return operation(.react(target.id, emoji: emoji, isOn ? .on : .off), by: reader)
        }
    }

    /// Returns a store's reading of the room as of a revision.
    func reading(at revision: Revision? = nil, tail: Int, since: Revision?, atMost: Int = .max) -> RoomReading {
        let revision = revision ?? self.revision
        let rows = states[Int(revision)]
        return RoomReading(
            revision: revision, count: rows.count, tail: Array(rows.suffix(tail)),
            changes: since.map { changes(since: $0, at: revision, atMost: atMost) } ?? .none,
            rules: RoomRules(of: .open), start: starts[Int(revision)])
    }

    private func changes(since: Revision, at revision: Revision, atMost: Int) -> RoomReading.Changes {
        guard since <= revision else { return .future }
        let touched = states[Int(revision)].filter { $0.rev > since }.map {
            RoomChange.row($0, reloaded: reloads[Int(revision)][$0.id] ?? 0)
        }
        let buried = graves.filter { $0.rev > since && $0.rev <= revision }.map {
            RoomChange.tombstone($0.id, sort: $0.sort, rev: $0.rev)
        }
        let all = (touched + buried).sorted { $0.rev < $1.rev }
        return all.count > atMost ? .tooMany : .all(all)
    }

    /// Returns a store's reading of the rows that a reader holds, as of now.
    ///
    /// - Parameter ranges: the parts of them that the store vouches for.
    func held(_ query: HeldQuery, vouchingFor ranges: [SortKeys]) -> HeldReading {
        guard query.since <= revision else { return HeldReading(revision: revision, ranges: [], rows: [], changes: []) }
        func isHeld(_ sort: UInt64) -> Bool { ranges.contains { $0.contains(sort) } }
        guard case .all(let changes) = changes(since: query.since, at: revision, atMost: .max) else {
            preconditionFailure()
        }
        return HeldReading(
            revision: revision, ranges: ranges, rows: rows.filter { isHeld($0.sort) }.map { RowStamp($0) },
            changes: changes.filter { isHeld($0.sort) })
    }

    /// The rows in some ranges at a revision.
    func rows(in ranges: [SortKeys], at revision: Revision) -> [Message] {
        states[Int(revision)].filter { row in ranges.contains { $0.contains(row.sort) } }
    }

    /// Returns the net difference between two states, by comparing both.
    func diff(from base: Revision, to target: Revision) -> ListDiff<Message> {
        let old = Dictionary(uniqueKeysWithValues: states[Int(base)].map { ($0.id, $0) })
        let new = states[Int(target)]
        let kept = new.filter { old[$0.id].map { $0.rev } != $0.rev && old[$0.id] != nil }
        let content = reloads[Int(target)]
        return ListDiff(
            from: base, to: target,
            deletions: graves.filter { $0.rev > base && $0.rev <= target && old[$0.id] != nil }.map(\.id),
            insertions: new.filter { old[$0.id] == nil },
            reloads: kept.filter { content[$0.id]! > base },
            reconfigurations: kept.filter { content[$0.id]! <= base }.map {
                ListReconfiguration(id: $0.id, rev: $0.rev, light: $0.light)
            },
            start: starts[Int(target)],
            proof: ListProof(count: new.count, digest: ListDigest(new.suffix(ListDigest.window)).value))
    }
}

extension ListDiff<Message> {
    /// Returns the diff in one fixed order, because the order of deletions and of content means nothing.
    var sorted: ListDiff<Message> {
        var sorted = self
        sorted.deletions.sort()
        sorted.reloads.sort { $0.sort < $1.sort }
        sorted.reconfigurations.sort { $0.id < $1.id }
        return sorted
    }
}
