import ChatWire
import Replicas

/// Pages of the messages that mention the user. One is asked for at a time.
extension ClientSession {
    mutating func closeMentions() {
        close(.myMentions)
        olderMentions = OlderMentions()
    }

    /// Requests older messages than those that are held, after those that are missing.
    mutating func requestOlderMentions(limit: Int) {
        guard let session = lists[.myMentions] else { return }
        if session.paging == nil {
            lists[.myMentions]?.paging = .wanted(.older, limit: limit, from: now)
            requestMentions()
        } else if olderMentions.isTorn {
            lists[.myMentions]?.next = (.older, limit)
        }
    }

    /// Sends the request for a page, if one is wanted.
    mutating func requestMentions() {
        guard let welcome, let session = lists[.myMentions], session.phase == .live,
            let list: Replica<MyMention> = rows(of: .myMentions)
        else { return }
        if session.paging == nil, olderMentions.isTorn {
            lists[.myMentions]?.paging = .wanted(.older, limit: WireLimits.newestMentions, from: now)
        }
        guard case .wanted(let page, let limit, let from) = lists[.myMentions]?.paging, from <= now else { return }
        guard let place = olderMentions.place(before: list) else {
            lists[.myMentions]?.paging = nil
            return changedNothing(of: .myMentions, .page(.older))
        }
        let rows = min(max(limit, ListDigest.window), welcome.limits.rows)
        let ref = request(.mentionsPage(before: place, limit: rows), .mentionsPage(place))
        lists[.myMentions]?.paging = .requested(ref, page, limit: limit)
    }

    mutating func mentionsCame(_ page: MentionsPage, _ epoch: Epoch, before place: MentionPlace, ref: UInt64) {
        guard case .requested(ref, _, let limit) = lists[.myMentions]?.paging,
            let list: Replica<MyMention> = rows(of: .myMentions)
        else { return }
        guard epoch == list.epoch else {
            lists[.myMentions]?.paging = .wanted(.older, limit: limit, from: now)
            return requestMentions()
        }
        let (held, isMending) = (Set(olderMentions.rows.map(\.id)), olderMentions.isTorn)
        olderMentions.insert(page, before: place, of: list)
        var change = RowsChange(replica: list)
        change.changes.inserted = page.rows.map(\.id).filter { !held.contains($0) && list[$0] == nil }
        changed(.myMentions, isMending ? .live : .page(.older), change)
        pageDone(of: .myMentions)
        requestMentions()
    }
}
