import ChatClient
import ChatWire

/// A person's rooms as a server tells them: each write is one revision of the list.
struct ModelRooms {
    /// The rooms in the order of the list: invitations first; of each section, something was said last in the last one.
    private(set) var rows: [MyRoom] = []
    private(set) var revision: Revision = 0
    var epoch = SessionProbe.epoch
    private var states: [Revision: [MyRoom]] = [0: []]
    private var lastSort: UInt64 = 0
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    static func name(_ number: Int) -> RoomName { RoomName("room-\(number)")! }

    // MARK: - Writing

    mutating func write(_ times: Int) {
        for _ in 0..<times {
            revision += 1
            let index = rows.indices.randomElement(using: &random)
            switch (Int.random(in: 0..<10, using: &random), index) {
            case (0, let index?): rows.remove(at: index)
            case (1, let index?): read(index)
            case (2, let index?): name(index)
            case (3...7, let index?): say(index)
            default: come(to: Self.name(.random(in: 0..<60, using: &random)))
            }
        }
        states[revision] = rows
    }

    /// The person is invited, or comes by themselves; who is invited accepts.
    private mutating func come(to room: RoomName) {
        let known = rows.firstIndex { $0.id == room }
        if known.map({ rows[$0].section == .rooms }) ?? false { return }
        lastSort += 1
        var row =
            known.map { rows.remove(at: $0) } ?? MyRoom(id: room, section: .invited, sort: lastSort, rev: revision)
        (row.sort, row.rev) = (lastSort, revision)
        if known != nil || Bool.random(using: &random) { (row.section, row.light.read) = (.rooms, revision) }
        place(row)
    }

    private mutating func place(_ row: MyRoom) {
        rows.append(row)
        rows.sort { ($0.section, $0.sort) < ($1.section, $1.sort) }
    }

    private mutating func name(_ index: Int) {
        rows[index].rev = revision
        rows[index].light.title = RoomTitle("what it is called since \(revision)")
    }

    private mutating func read(_ index: Int) {
        rows[index].rev = revision
        (rows[index].light.unread, rows[index].light.read) = (0, revision)
    }

    private mutating func say(_ index: Int) {
        var row = rows.remove(at: index)
        lastSort += 1
        (row.sort, row.rev) = (lastSort, revision)
        row.light.unread += 1
        row.light.last = LastMessage(SessionProbe.message(revision))
        place(row)
    }

    /// Forgets what it has told, as a server does that was restarted.
    mutating func forget(as epoch: Epoch) {
        self.epoch = epoch
        states = [revision: rows]
    }

    // MARK: - Answering

    func answer(_ frame: ClientFrame) -> ServerFrame? {
        guard case .subscribe(.myRooms, _, let resume) = frame.request else { return nil }
        guard let resume else { return snapshot(ref: frame.ref, .fresh) }
        guard resume.epoch == epoch else { return snapshot(ref: frame.ref, .epoch) }
        guard states[resume.revision] != nil else { return snapshot(ref: frame.ref, .gone) }
        return news(since: resume.revision, ref: frame.ref)
    }

    private func snapshot(ref: UInt64, _ why: ServerFrame.SnapshotReason) -> ServerFrame {
        .snapshot(
            ref: ref, .myRooms,
            ServerFrame.Snapshot(
                epoch: epoch, joined: revision, why: why,
                snapshot: ListSnapshot(revision: revision, rows: rows, more: false, proof: proof)))
    }

    /// Returns what happened since, as one diff.
    func news(since: Revision, ref: UInt64? = nil, flaw: UInt32 = 0) -> ServerFrame {
        let old = states[since] ?? []
        let before = Dictionary(old.map { ($0.id, $0) }) { $1 }
        let left = Set(rows.map(\.id))
        var diff = ListDiff<MyRoom>(
            from: since, to: revision, deletions: old.map(\.id).filter { !left.contains($0) },
            insertions: rows.filter { before[$0.id] == nil },
            proof: ListProof(count: rows.count, digest: proof.digest ^ flaw))
        for row in rows {
            guard let known = before[row.id] else { continue }
            if !known.isPlaced(as: row) {
                diff.moves.append(ListMove(id: row.id, section: row.section, sort: row.sort, rev: row.rev))
            }
            if known.light != row.light {
                diff.reconfigurations.append(ListReconfiguration(id: row.id, rev: row.rev, light: row.light))
            }
        }
        return .diff(ref: ref, .myRooms, epoch, diff)
    }

    private var proof: ListProof {
        ListProof(count: rows.count, digest: ListDigest(rows.suffix(ListDigest.window)).value)
    }
}
