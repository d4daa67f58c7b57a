import ChatRoom
import ChatWire
import TestSupport

// What must hold, whatever happens.

extension World {
    /// The store: each operation comes out as the plainest account of it says, revisions without a gap.
    func check(_ expected: [CommitOutcome], against found: [CommitOutcome]) {
        if expected != found { complain("the store says \(found), must say \(expected)") }
    }

    /// A server's frame is true and durable, answers at most one question, and is as small as it can be.
    func check(_ frame: ServerFrame, on link: Link) {
        let request = frame.ref.flatMap { question($0, answeredOn: link) }
        checkSecrecy(of: frame, request, on: link)
        switch frame {
        case .ok(_, let effect?): check(effect, of: request, on: link)
        case .error(_, let error): check(error, of: request, on: link)
        case .snapshot(_, .messages(let room), let snapshot as ServerFrame.Snapshot<Message>):
            guard let truth = hear(snapshot.epoch, of: room, on: link) else { return }
            check(snapshot, request, truth)
            checkRight(toRead: snapshot.snapshot.revision, of: room, on: link, answers: request != nil, truth)
            link.hearings[room]?.written = snapshot.snapshot.revision
        case .diff(let ref, .messages(let room), let epoch, let diff as ListDiff<Message>):
            guard let truth = hear(epoch, of: room, on: link) else { return }
            check(diff, request, truth)
            checkRight(toRead: diff.to, of: room, on: link, answers: request != nil, truth)
            let hearing = link.hearings[room] ?? .init()
            if ref == nil, hearing.isEnded { complain("a diff of a subscription that was said to have ended") }
            if ref == nil, hearing.isOverstaying, hearing.isEnded { strikes += 1 }
            if ref == nil, diff.from != hearing.written {
                complain("a diff from \(diff.from) for \(hearing.written ?? 0)")
            }
            link.hearings[room]?.written = diff.to
        case .page(let ref, .messages(let room), let epoch, let page as ListPage<Message>):
            guard let truth = hear(epoch, of: room, on: link) else { return }
            check(page, request, read: link.read[ref], truth)
            checkPlace(of: link.client.user, in: room, at: page.revision, truth)
            if let written = link.hearings[room]?.written, page.revision < written {
                complain("a page of \(page.revision) after what was said of \(written)")
            }
        case .ended(let list, _): if let room = list.room { link.hearings[room]?.isEnded = true }
        case .snapshot(_, .messages, _), .diff(_, .messages, _, _), .page(_, .messages, _, _):
            complain("\(frame) has not the rows of its list")
        case .snapshot(_, .myRooms, _), .diff(_, .myRooms, _, _): link.listed = link.listed ?? clock.now
        case .page(_, .myMentions, _, _), .uploading, .links: break
        case .page(_, let list, _, _): complain("a page of \(list)")
        case .welcome, .ok(_, nil), .roomsRead, .pong, .bye, .snapshot, .diff, .audit, .found, .standing, .expiring:
            break
        }
    }

    private func question(_ ref: UInt64, answeredOn link: Link) -> ClientFrame.Request? {
        let request = link.asked[ref]
        if request == nil { complain("ref \(ref) was never asked") }
        if !link.answered.insert(ref).inserted { complain("ref \(ref) was answered twice") }
        return request
    }

    /// A command refused for its rate is sent again later, whether or not its client hears of the refusal.
    func noteRefusal(_ frame: ServerFrame, on link: Link) {
        guard case .error(let ref?, let error) = frame, error.code == .rateLimited else { return }
        if let command = link.asked[ref]?.command { postponed.insert(command) }
    }

    /// Of a history that is over nothing is said any more, once something was said of a later one.
    private func hear(_ epoch: Epoch, of room: RoomName, on link: Link) -> Truth? {
        guard let disk = disks[epoch] else {
            complain("epoch \(epoch) never began")
            return nil
        }
        let last = link.hearings[room]?.disk ?? 0
        if disk.number < last { complain("\(epoch) is spoken of after disk \(last)") }
        if disk.number > last { link.hearings[room] = .init(disk: disk.number, admitted: .max) }
        return disk.truth(of: room)
    }

    /// Nobody hears what was said after they were put out.
    private func checkRight(
        toRead revision: Revision, of room: RoomName, on link: Link, answers: Bool, _ truth: Truth
    ) {
        guard revision < truth.laws.count, var hearing = link.hearings[room] else { return }
        // Revisions at which somebody was admitted mean nothing in a new history: there it counts from its first frame.
        if answers || hearing.admitted == .max { (hearing.admitted, hearing.isOverstaying) = (revision, false) }
        if answers { hearing.isEnded = false }
        link.hearings[room] = hearing
        checkPlace(of: link.client.user, in: room, at: revision, truth)
        if truth.laws[Int(revision)].standing(of: link.client.user).kicked > hearing.admitted {
            complain("\(link.client.user) was kicked out of \(room), and is told of revision \(revision)")
        }
    }

    private func check(_ effect: ServerFrame.Effect, of request: ClientFrame.Request?, on link: Link) {
        switch request {
        case .join(let room, _): return check(effect, of: link.client.user, in: room, isMember: true)
        case .leave(let room, _): return check(effect, of: link.client.user, in: room, isMember: false)
        case .read(let room, nil): return checkReading(effect, of: room)
        case .settings(let room, _, _): return check(effect, of: link.client.user, in: room, isMember: true)
        case .create(_, .direct): return checkPlace(of: link.client.user, after: effect)
        default: break
        }
        guard let command = request?.command, let room = effect.list.room else {
            return complain("\(effect) answers no command")
        }
        // It may be on its way while the next history begins.
        let durable = disks.values.map { $0.truth(of: room).commands[command] }
        if !durable.contains(effect.revision) {
            complain("ok at \(effect.revision), durable at \(durable.compactMap(\.self))")
        }
    }

    /// Nobody has read what is yet to come.
    private func checkReading(_ effect: ServerFrame.Effect, of room: RoomName) {
        let ends = disks.values.map { $0.truth(of: room).revision }
        if effect.list != .messages(room) || ends.allSatisfy({ $0 < effect.revision }) {
            complain("somebody has read \(room) up to \(effect.revision), which ends at \(ends)")
        }
    }

    /// A person who joined is a member at the answer's revision, in the answer's history; one who left is not.
    private func check(_ effect: ServerFrame.Effect, of user: UserName, in room: RoomName, isMember: Bool) {
        let isSo = disks.values.contains {
            ($0.truth(of: room).roster.kind(of: user, at: effect.revision) == .member) == isMember
        }
        if effect.list != .messages(room) || !isSo {
            complain("\(user) hears of a membership that is otherwise: \(effect)")
        }
    }

    /// Whoever asked for a direct room has a place in it.
    private func checkPlace(of user: UserName, after effect: ServerFrame.Effect) {
        let room = effect.list.room
        let isThere = disks.values.contains { disk in
            room.map { disk.truth(of: $0).roster.kind(of: user, at: effect.revision) == .member } ?? false
        }
        if !isThere { complain("\(user) hears of a direct room that is not there: \(effect)") }
    }

    private func check(_ error: WireError, of request: ClientFrame.Request?, on link: Link) {
        switch error.code {
        case .unavailable, .rateLimited: break
        case .notFound, .forbidden:
            guard let command = request?.command else { break }
            // Refused once, it may have been said again meanwhile, when the rules allowed it, or in a history that lacks
            // what was the reason.
            let mayChange =
                (weather.isModerated || closed != nil) && error.code == .forbidden || error.reason == .notPinned
                || pardoned.contains(command)
            let wasSaidAgain = mayChange && attempts(command) > 1
            let isDone = allRooms.contains { link.server.disk.truth(of: $0).commands[command] != nil }
            if isDone, !wasSaidAgain { complain("\(error) for what was done") }
        // The room is at 0 until its next history was read.
        case .badRequest where request?.isRead == true && disks.count > 1: break
        // Whoever is banned is not invited.
        case .badRequest where request?.invitesTo(closed) == true: break
        // The text had grown, or was closed, from another server's state than the client had seen.
        case .conflict where error.reason == .otherSize || error.reason == .notOpen: break
        case .conflict where request.map { if case .subscribe = $0 { true } else { false } } ?? false: break
        case .badRequest, .unauthorized, .conflict, .tooLarge, .internal: complain("\(error)")
        }
    }

    /// The number of times that a command was sent, over all connections.
    private func attempts(_ command: CommandID) -> Int {
        links.reduce(0) { count, link in count + link.asked.values.count { $0.command == command } }
    }

    private func check(_ told: ListDiff<Message>, _ request: ClientFrame.Request?, _ truth: Truth) {
        guard told.to <= truth.revision, told.from <= told.to else {
            return complain("a diff from \(told.from) to \(told.to), durable is \(truth.revision)")
        }
        let diff = told.resolved(in: truth.states[Int(told.from)...Int(told.to)])
        let net = truth.diff(from: diff.from, to: diff.to).plain
        guard let ranges = diff.ranges else {
            if diff.plain != net { complain("the diff \(diff.plain) is not \(net)") }
            return
        }
        check(ranges, of: diff, truth)
        var limit = Int.max
        var named: [SortKeys]?
        if case .subscribe(_, let rows, let resume) = request { (limit, named) = (rows, resume?.ranges) }
        if diff.insertions.count > limit { complain("\(diff.insertions.count) newest rows, asked for \(limit)") }
        // Of what is held on both sides nothing is missing, and nothing is said that is not so.
        let held = { (sort: UInt64) in
            ranges.contains { $0.keys.contains(sort) } && named?.contains { $0.contains(sort) } ?? true
        }
        let before = Dictionary(truth.states[Int(diff.from)].map { ($0.id, $0.sort) }) { $1 }
        let isHeld = { (id: MessageID) in before[id].map(held) ?? false }
        let said = diff.plain
        let isWhole =
            Set(said.deletions).isSuperset(of: net.deletions.filter(isHeld))
            && Set(said.deletions).isSubset(of: net.deletions)
            && said.reloads == net.reloads.filter { isHeld($0.id) }
            && said.reconfigurations == net.reconfigurations.filter { isHeld($0.id) }
            && said.insertions == net.insertions.filter { row in ranges.contains { $0.keys.contains(row.sort) } }
        if !isWhole { complain("the diff \(said) is not \(net) in \(ranges)") }
    }

    /// Each range is what a reader may hold, and its proof that of the rows in it.
    private func check(_ ranges: [ListRange], of diff: ListDiff<Message>, _ truth: Truth) {
        let rows = truth.states[Int(diff.to)]
        for range in ranges {
            guard let proof = range.proof else { continue }
            let inside = rows.filter { range.keys.contains($0.sort) }
            if proof != ListProof(count: inside.count, digest: ListDigest(inside).value) {
                complain("the proof of \(range.keys) at \(diff.to) is not that of its rows")
            }
        }
        let newest = rows.last { $0.sort > diff.from }
        if let newest, ranges.last?.keys.contains(newest.sort) != true { complain("the newest row is left out") }
    }

    private func check(
        _ frame: ServerFrame.Snapshot<Message>, _ request: ClientFrame.Request?, _ truth: Truth
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
        if case .subscribe(_, _, let resume) = request { check(why: frame, resume) }
    }

    /// A resume is always answered by a diff.
    private func check(why frame: ServerFrame.Snapshot<Message>, _ resume: Resume?) {
        guard let resume, resume.epoch == frame.epoch else {
            let reason: ServerFrame.SnapshotReason = resume == nil ? .fresh : .epoch
            if frame.why != reason { complain("a snapshot because of \(frame.why), which is \(reason)") }
            return
        }
        guard resume.revision <= frame.snapshot.revision else {
            return complain("a reader comes from \(resume.revision), the server is at \(frame.snapshot.revision)")
        }
        complain("a snapshot (\(frame.why)) where a diff from \(resume.revision) was promised")
    }

    /// It is what the disk had, as of what was published by then.
    private func check(
        _ page: ListPage<Message>, _ request: ClientFrame.Request?, read: ListPage<Message>?, _ truth: Truth
    ) {
        guard case .page(_, let place, let limit) = request, let read else {
            return complain("a page that nobody asked for")
        }
        guard page.revision <= truth.revision else {
            return complain("a page of \(page.revision), durable is \(truth.revision)")
        }
        let then = truth.states[Int(read.revision)]
        let now = truth.states[Int(page.revision)]
        func rows(of page: ListPage<Message>, in state: Rows) -> [Message] {
            page.from <= page.to ? state.filter { (page.from...page.to).contains($0.sort) } : []
        }
        let hasOlder = now.contains { $0.sort < page.from }
        let isWrongAboutMore = page.revision == read.revision ? page.more != hasOlder : hasOlder && !page.more
        // No row comes between two others.
        let isRight =
            read.rows.map(\.plain) == rows(of: read, in: then) && page.rows.map(\.plain) == rows(of: page, in: now)
        if !isRight || isWrongAboutMore || read.rows.count > limit || !isAsked(read, place, limit, then) {
            complain("the page \(place) of \(page.revision) is not what there is")
        }
    }

    /// True if a page is as large as it may be, and where it was asked for.
    private func isAsked(
        _ page: ListPage<Message>, _ place: PagePlace, _ limit: Int, _ state: Rows
    ) -> Bool {
        switch place {
        case .before(let before): page.rows.count == min(limit, state.count { $0.sort < before })
        case .after(let after): page.rows.count == min(limit, state.count { $0.sort > after })
        case .between(let after, let before):
            page.rows.count == min(limit, state.count { $0.sort > after && $0.sort < before })
        case .around(.id(let id)): page.rows.contains { $0.id == id }
        case .around(.revision), .around(.time): page.rows.count == min(limit, state.count)
        }
    }
}
