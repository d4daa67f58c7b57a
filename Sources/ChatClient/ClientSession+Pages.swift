import ChatWire
import Replicas

/// One page of a list is asked for at a time.
extension ClientSession {
    /// Requests a page. If another is awaited, only one to go to is requested afterwards; a later one takes its place.
    mutating func turn(to page: RoomPage, of list: ListName, limit: Int) {
        guard let session = lists[list] else { return }
        if session.paging == nil {
            lists[list]?.paging = .wanted(page, limit: limit, from: now)
            requestPage(of: list)
        } else if case .around = page {
            lists[list]?.next = (page, limit)
        }
    }

    /// Sends the request for a page, if one is wanted and the list is live.
    mutating func requestPage(of list: ListName) {
        guard list != .myMentions else { return requestMentions() }
        guard let welcome, let session = lists[list], session.phase == .live,
            case .wanted(let page, let limit, let from) = session.paging, from <= now
        else { return }
        guard let place = place(of: page, in: list) else {
            answerAtOnce(page, of: list)
            return pageDone(of: list)
        }
        let rows = min(max(limit, ListDigest.window), welcome.limits.rows)
        let ref = request(.page(list, place, limit: rows), .page(list))
        lists[list]?.paging = .requested(ref, page, limit: limit)
    }

    /// Returns what to ask the server for; `nil` if nothing is there to be asked for.
    private func place(of page: RoomPage, in list: ListName) -> PagePlace? {
        guard let replica = lists[list]?.replica else { return nil }
        switch page {
        case .older: return replica.earliest.map { .before($0) }
        case .around(let anchor): return .around(anchor)
        case .gap(let id, let side):
            guard let gap = replica.held.gaps.first(where: { $0.id == id }) else { return nil }
            return side == .beginning ? .after(gap.after) : .between(after: gap.after, before: gap.before)
        }
    }

    /// Answers a request for which the server has nothing.
    private mutating func answerAtOnce(_ page: RoomPage, of list: ListName) {
        switch page {
        case .older: if let room = list.room { notify(.nothingOlder(room)) }
        case .gap, .around: changedNothing(of: list, .page(page))
        }
    }

    /// Reports the rows that are there.
    mutating func changedNothing(of list: ListName, _ cause: RoomChange.Cause) {
        if let change = lists[list]?.replica?.unchanged { changed(list, cause, change) }
    }

    mutating func pageDone(of list: ListName) {
        let next = lists[list]?.next
        lists[list]?.paging = next.map { .wanted($0.page, limit: $0.limit, from: now) }
        lists[list]?.next = nil
        if lists[list]?.paging != nil { requestPage(of: list) }
    }

    mutating func pageCame(_ page: any ListContent, _ epoch: Epoch, ref: UInt64, of list: ListName) {
        guard case .requested(ref, let asked, _) = lists[list]?.paging else { return }
        do throws(ReplicaError) {
            guard let change = try lists[list]?.replica?.insert(page: page, epoch: epoch) else { return }
            changed(list, .page(asked), change)
            pageDone(of: list)
        } catch {
            lists[list]?.forgetPage(until: now)
            if error.remedy == .requestAgain { requestPage(of: list) } else { stumbled(error, list) }
        }
    }

    mutating func pageFailed(_ error: WireError, ref: UInt64, of list: ListName) {
        guard case .requested(ref, let asked, _) = lists[list]?.paging else { return }
        if error.isPassing {
            lists[list]?.forgetPage(until: now + error.pause)
        } else {
            notify(.pageRefused(list, asked, error))
            pageDone(of: list)
        }
    }

    /// Notes the rows that the server should keep the longest.
    mutating func look(at id: MessageID?, in room: RoomName) {
        let held: Replica<Message>? = rows(of: .messages(room))
        lists[.messages(room)]?.at = id.flatMap { held?[$0]?.sort }
    }
}
