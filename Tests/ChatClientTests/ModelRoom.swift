import ChatClient
import ChatWire

/// A room that remembers the states that it has told, and answers as a server does.
struct ModelRoom {
    private(set) var rows: [Message] = []
    private(set) var revision: Revision = 0
    /// The rows at each revision that somebody may be at.
    private(set) var states: [Revision: [Message]] = [0: []]
    private(set) var joined: Revision = 0
    var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    // MARK: - Writing

    mutating func write(_ times: Int) {
        for _ in 0..<times {
            revision += 1
            let index = rows.indices.randomElement(using: &random)
            switch (Int.random(in: 0..<10, using: &random), index) {
            case (0, let index?):
                rows[index].rev = revision
                rows[index].content.text = "edited at \(revision)"
            case (1, let index?): rows.remove(at: index)
            default: rows.append(SessionProbe.message(revision))
            }
        }
        states[revision] = rows
    }

    // MARK: - Answering

    mutating func answer(_ frame: ClientFrame) -> ServerFrame? {
        switch frame.request {
        case .subscribe(_, let limit, let resume?):
            .diff(ref: frame.ref, SessionProbe.list, SessionProbe.epoch, diff(resuming: resume, limit: limit))
        case .subscribe(_, let limit, nil): snapshot(frame.ref, limit)
        case .page(_, let place, let limit): page(place, limit, ref: frame.ref)
        default: nil
        }
    }

    private mutating func snapshot(_ ref: UInt64, _ limit: Int) -> ServerFrame {
        joined = revision
        let snapshot = ListSnapshot(
            revision: revision, rows: rows.suffix(limit), more: rows.count > limit, proof: SessionProbe.proof(rows))
        return .snapshot(
            ref: ref, SessionProbe.list,
            ServerFrame.Snapshot(epoch: SessionProbe.epoch, joined: joined, why: .fresh, snapshot: snapshot))
    }

    /// Returns what happened since, for a reader that has had all until then.
    func diff(since: Revision) -> ListDiff<Message> {
        diff(since: since, within: [0...UInt64.max])
    }

    private mutating func diff(resuming resume: Resume, limit: Int) -> ListDiff<Message> {
        var ranges = resume.ranges ?? []
        let new = rows.filter { $0.sort > resume.revision }
        if let tail = ranges.popLast() {
            if new.count > limit {
                ranges += [tail, new[new.count - limit].sort...UInt64.max]
            } else {
                ranges.append(tail.lowerBound...UInt64.max)
            }
        }
        if ranges.count > 2, random.chance(0.3), resume.at.map({ !ranges[0].contains($0) }) ?? true {
            ranges.removeFirst()
        }
        var diff = diff(since: resume.revision, within: ranges)
        diff.ranges = ranges.map { keys in
            let rows = rows.filter { keys.contains($0.sort) }
            return ListRange(keys, proof: ListProof(count: rows.count, digest: ListDigest(rows).value))
        }
        return diff
    }

    private func diff(since: Revision, within ranges: [SortKeys]) -> ListDiff<Message> {
        func isHeld(_ row: Message) -> Bool { ranges.contains { $0.contains(row.sort) } }
        let (old, new) = ((states[since] ?? []).filter(isHeld), rows.filter(isHeld))
        let left = Set(new.map(\.id))
        return ListDiff(
            from: since, to: revision, deletions: old.map(\.id).filter { !left.contains($0) },
            insertions: new.filter { $0.sort > since }, reloads: new.filter { $0.sort <= since && $0.rev > since },
            proof: SessionProbe.proof(rows))
    }

    private func page(_ place: PagePlace, _ limit: Int, ref: UInt64) -> ServerFrame {
        var (from, to) = (UInt64(0), revision)
        var found: ArraySlice<Message>
        switch place {
        case .before(let before):
            to = before - 1
            found = rows.filter { $0.sort < before }.suffix(limit)
            if let first = found.first, first.id != rows.first?.id { from = first.sort }
        case .after(let after):
            from = after + 1
            found = rows.filter { $0.sort > after }.prefix(limit)
            if let last = found.last, last.id != rows.last?.id { to = last.sort }
        case .between(let after, let before):
            (from, to) = (after + 1, before - 1)
            let between = rows.filter { $0.sort > after && $0.sort < before }
            found = between.suffix(limit)
            if let first = found.first, found.count < between.count { from = first.sort }
        case .around(let anchor):
            guard let index = index(of: anchor) else {
                return .error(ref: ref, WireError(.noMessage, "the message is not there"))
            }
            let start = max(0, index - limit / 2)
            found = rows[start..<min(rows.count, start + limit)]
            if start > 0 { from = found[start].sort }
            if let last = found.last, last.id != rows.last?.id { to = last.sort }
        }
        let page = ListPage(
            revision: revision, from: from, to: to, rows: found.map(\.inHistory), more: from > 0, newer: to < revision)
        return .page(ref: ref, SessionProbe.list, SessionProbe.epoch, page)
    }

    private func index(of anchor: PagePlace.Anchor) -> Int? {
        switch anchor {
        case .id(let id): rows.firstIndex { $0.id == id }
        case .revision(let revision): rows.firstIndex { $0.sort >= revision } ?? rows.indices.last
        case .time(let time): rows.firstIndex { $0.time >= time } ?? rows.indices.last
        }
    }
}
