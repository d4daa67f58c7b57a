import ChatRoom
import ChatWire

// What must hold, whatever happens.

extension World {
    /// The store: each operation comes out as the plainest account of it says, revisions without a gap.
    func check(_ expected: [CommitOutcome], against found: [CommitOutcome]) {
        if expected != found { complain("the store says \(found), must say \(expected)") }
    }

    /// What a server writes is true, durable, an answer to one question at most, and the least that would do.
    func check(_ frame: ServerFrame, on link: Link) {
        var request: ClientFrame.Request?
        if let ref = frame.ref {
            request = link.asked[ref]
            if request == nil { complain("ref \(ref) was never asked") }
            if !link.answered.insert(ref).inserted { complain("ref \(ref) was answered twice") }
        }
        let truth = link.server.disk.truth
        switch frame {
        case .ok(_, let effect?): check(effect, of: request, truth)
        case .error(_, let error):
            if error.code == .rateLimited, let command = request?.command { postponed.insert(command) }
            check(error, of: request, truth)
        case .snapshot(_, _, let snapshot):
            check(snapshot, request, truth)
            checkRight(toRead: snapshot.snapshot.revision, on: link, answers: request != nil, truth)
            link.written = snapshot.snapshot.revision
        case .diff(let ref, _, _, let diff):
            check(diff, truth)
            checkRight(toRead: diff.to, on: link, answers: request != nil, truth)
            if ref == nil, link.isOverstaying { strikes += 1 }
            if ref == nil, diff.from != link.written { complain("a diff from \(diff.from) for \(link.written ?? 0)") }
            link.written = diff.to
        case .page(_, _, _, let page): check(page, request, truth)
        case .welcome, .ok(_, nil), .pong, .bye, .memberSnapshot, .memberDiff, .audit, .ended, .standing,
            .expiring:
            break
        }
    }

    /// Nobody hears what was said after they were put out.
    private func checkRight(toRead revision: Revision, on link: Link, answers: Bool, _ truth: Truth) {
        guard revision < truth.laws.count else { return }
        if answers { (link.admitted, link.isOverstaying) = (revision, false) }
        let standing = truth.laws[Int(revision)].standing(of: link.client.user)
        if standing.role(granted: .write) < .read || standing.kicked > link.admitted {
            complain("\(link.client.user) was put out, and is told of revision \(revision)")
        }
    }

    private func check(_ effect: ServerFrame.Effect, of request: ClientFrame.Request?, _ truth: Truth) {
        guard let command = request?.command else { return complain("\(effect) answers no command") }
        let durable = truth.commands[command]
        if effect.revision != durable {
            complain("ok at \(effect.revision), durable \(durable.map { "at \($0)" } ?? "not yet")")
        }
    }

    private func check(_ error: WireError, of request: ClientFrame.Request?, _ truth: Truth) {
        switch error.code {
        case .unavailable, .rateLimited: break
        case .notFound, .forbidden:
            guard let command = request?.command else { break }
            // Refused once, it may have been said again meanwhile, when the rules allowed it.
            let wasSaidAgain = weather.isModerated && error.code == .forbidden && attempts(command) > 1
            if truth.commands[command] != nil, !wasSaidAgain { complain("\(error) for what was done") }
        case .conflict where request.map { if case .subscribe = $0 { true } else { false } } ?? false: break
        case .badRequest, .unauthorized, .conflict, .tooLarge, .internal: complain("\(error)")
        }
    }

    /// How often a command was said, over all connections.
    private func attempts(_ command: CommandID) -> Int {
        links.reduce(0) { count, link in count + link.asked.values.count { $0.command == command } }
    }

    private func check(_ diff: ListDiff<Message>, _ truth: Truth) {
        guard diff.to <= truth.revision, diff.from <= diff.to else {
            return complain("a diff from \(diff.from) to \(diff.to), durable is \(truth.revision)")
        }
        let net = truth.diff(from: diff.from, to: diff.to).plain
        if diff.plain != net { complain("the diff \(diff.plain) is not \(net)") }
    }

    private func check(
        _ frame: ServerFrame.MessageSnapshot, _ request: ClientFrame.Request?, _ truth: Truth
    ) {
        let snapshot = frame.snapshot
        guard snapshot.revision <= truth.revision else {
            return complain("a snapshot of \(snapshot.revision), durable is \(truth.revision)")
        }
        let all = truth.states[Int(snapshot.revision)]
        let right = ListSnapshot(
            revision: snapshot.revision, rows: Array(all.suffix(snapshot.rows.count)),
            more: snapshot.rows.count < all.count, proof: truth.proof(at: snapshot.revision))
        if frame != .init(epoch: frame.epoch, joined: frame.joined, why: frame.why, snapshot: right) {
            complain("the snapshot of \(snapshot.revision) is not what there is")
        }
        if case .subscribe(_, let limit, let resume) = request {
            check(why: frame, limit: limit, resume, truth)
        }
    }

    /// A resume is answered by a diff, unless the snapshot is smaller.
    private func check(why frame: ServerFrame.MessageSnapshot, limit: Int, _ resume: Resume?, _ truth: Truth) {
        guard let resume, resume.epoch == frame.epoch else {
            let reason: ServerFrame.SnapshotReason = resume == nil ? .fresh : .epoch
            if frame.why != reason { complain("a snapshot because of \(frame.why), which is \(reason)") }
            return
        }
        guard resume.revision <= frame.snapshot.revision else {
            return complain("a reader comes from \(resume.revision), the server is at \(frame.snapshot.revision)")
        }
        let diff = truth.diff(from: resume.revision, to: frame.snapshot.revision)
        let touched = truth.touched(since: resume.revision, upTo: frame.snapshot.revision)
        let isLarge = diff.weight > 4 * limit || touched.count > 2 * weather.limits.rows
        if frame.why == .smaller, isLarge { return }
        complain("a snapshot (\(frame.why)) where a diff of \(diff.changeCount) from \(resume.revision) was promised")
    }

    private func check(_ page: ListPage<Message>, _ request: ClientFrame.Request?, _ truth: Truth) {
        guard case .page(_, let before, let limit) = request else { return complain("a page that nobody asked for") }
        guard page.revision <= truth.revision else {
            return complain("a page of \(page.revision), durable is \(truth.revision)")
        }
        let older = truth.states[Int(page.revision)].filter { $0.sort < before }
        if page.rows.map(\.plain) != older.suffix(limit).map(\.plain) || page.more != (older.count > limit) {
            complain("the page before \(before) of \(page.revision) is not what there is")
        }
    }
}

extension ClientFrame.Request {
    /// The id of a command.
    fileprivate var command: CommandID? {
        switch self {
        case .send(_, let id, _, _): id
        case .edit(_, let command, _, _), .delete(_, let command, _), .react(_, let command, _, _, _),
            .moderate(_, let command, _):
            command
        case .hello, .subscribe, .unsubscribe, .page, .audit, .ping, .typing, .read, .token: nil
        }
    }
}
