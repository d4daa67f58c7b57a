import ChatClient
import ChatWire

/// A person's rooms as a server tells them: each write is one revision of the list.
struct ModelRooms {
    /// The rooms in the order of the list: something was said last in the last one.
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
            case (1...2, let index?): read(index)
            case (3...7, let index?): say(index)
            default: join(Self.name(.random(in: 0..<60, using: &random)))
            }
        }
        states[revision] = rows
    }

    private mutating func join(_ room: RoomName) {
        guard !rows.contains(where: { $0.id == room }) else { return }
        lastSort += 1
        rows.append(MyRoom(id: room, sort: lastSort, rev: revision, light: .init(read: revision)))
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
        rows.append(row)
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
        .roomsSnapshot(
            ref: ref,
            .init(
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
            if known.sort != row.sort {
                diff.moves.append(ListMove(id: row.id, section: row.section, sort: row.sort, rev: row.rev))
            }
            if known.light != row.light {
                diff.reconfigurations.append(ListReconfiguration(id: row.id, rev: row.rev, light: row.light))
            }
        }
        return .roomsDiff(ref: ref, epoch, diff)
    }

    private var proof: ListProof {
        ListProof(count: rows.count, digest: ListDigest(rows.suffix(ListDigest.window)).value)
    }
}
