import ChatWire
import Replicas

/// One page of a room is asked for at a time.
extension ClientSession {
    /// Requests a page. If another is awaited, only one to go to is requested afterwards; a later one takes its place.
    mutating func turn(to page: RoomPage, in room: RoomName, limit: Int) {
        guard let session = rooms[room] else { return }
        if session.paging == nil {
            rooms[room]?.paging = .wanted(page, limit: limit, from: now)
            if session.phase == .live { requestPage(in: room) }
        } else if case .around = page {
            rooms[room]?.next = (page, limit)
        }
    }

    mutating func requestPage(in room: RoomName) {
        guard let welcome, case .wanted(let page, let limit, let from) = rooms[room]?.paging, from <= now else {
            return
        }
        guard let place = place(of: page, in: room) else {
            answerAtOnce(page, in: room)
            return pageDone(in: room)
        }
        let rows = min(max(limit, ListDigest.window), welcome.limits.rows)
        let ref = request(.page(.messages(room), place, limit: rows), .page(room))
        rooms[room]?.paging = .requested(ref, page, limit: limit)
    }

    /// Returns what to ask the server for; `nil` if nothing is there to be asked for.
    private func place(of page: RoomPage, in room: RoomName) -> PagePlace? {
        guard let replica = rooms[room]?.replica else { return nil }
        switch page {
        case .older: return replica.earliest.map { .before($0) }
        case .around(let anchor): return .around(anchor)
        case .gap(let id, let side):
            guard let gap = replica.held.gaps.first(where: { $0.id == id }) else { return nil }
            return side == .beginning ? .after(gap.after) : .between(after: gap.after, before: gap.before)
        }
    }

    /// Answers a request for which the server has nothing.
    private mutating func answerAtOnce(_ page: RoomPage, in room: RoomName) {
        switch page {
        case .older: notify(.nothingOlder(room))
        case .gap, .around: changed(room, .page(page), ReplicaChanges(), [Message](), gaps(Message.self, of: room))
        }
    }

    private mutating func pageDone(in room: RoomName) {
        let next = rooms[room]?.next
        rooms[room]?.paging = next.map { .wanted($0.page, limit: $0.limit, from: now) }
        rooms[room]?.next = nil
        if rooms[room]?.phase == .live { requestPage(in: room) }
    }

    mutating func pageCame(_ page: ListPage<Message>, _ epoch: Epoch, ref: UInt64, in room: RoomName) {
        guard case .requested(ref, let asked, _) = rooms[room]?.paging else { return }
        let gaps = gaps(Message.self, of: room)
        do throws(ReplicaError) {
            guard let changes = try rooms[room]?.replica?.insert(page, epoch: epoch) else { return }
            changed(room, .page(asked), changes, [Message](), gaps)
            pageDone(in: room)
        } catch {
            rooms[room]?.forgetPage(until: now)
            if error.remedy == .requestAgain { requestPage(in: room) } else { stumbled(error, Message.self, of: room) }
        }
    }

    mutating func pageFailed(_ error: WireError, ref: UInt64, in room: RoomName) {
        guard case .requested(ref, let asked, _) = rooms[room]?.paging else { return }
        if error.isPassing {
            rooms[room]?.forgetPage(until: now + error.pause)
        } else {
            notify(.pageRefused(room, asked, error))
            pageDone(in: room)
        }
    }

    /// Notes the rows that the server should keep the longest.
    mutating func look(at id: MessageID?, in room: RoomName) {
        let row = id.flatMap { rooms[room]?.replica?[$0] }
        rooms[room]?.at = row?.sort
    }
}
