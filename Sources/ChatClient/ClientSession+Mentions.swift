import ChatWire
import Replicas

/// Pages of the messages that mention the user. One is asked for at a time.
extension ClientSession {
    mutating func closeMentions() {
        close(MyMention.self, of: .me)
        olderMentions = OlderMentions()
    }

    /// Requests older messages than those that are held, after those that are missing.
    mutating func requestOlderMentions(limit: Int) {
        guard let session = mentions[.me] else { return }
        if session.paging == nil {
            mentions[.me]?.paging = .wanted(.older, limit: limit, from: now)
            requestMentions()
        } else if olderMentions.isTorn {
            mentions[.me]?.next = (.older, limit)
        }
    }

    /// Sends the request for a page, if one is wanted.
    mutating func requestMentions() {
        guard let welcome, let session = mentions[.me], session.phase == .live, let list = session.replica else {
            return
        }
        if session.paging == nil, olderMentions.isTorn {
            mentions[.me]?.paging = .wanted(.older, limit: WireLimits.newestMentions, from: now)
        }
        guard case .wanted(let page, let limit, let from) = mentions[.me]?.paging, from <= now else { return }
        guard let place = olderMentions.place(before: list) else {
            mentions[.me]?.paging = nil
            return changed(.me, .page(.older), ReplicaChanges(), [MyMention](), [])
        }
        let rows = min(max(limit, ListDigest.window), welcome.limits.rows)
        let ref = request(.mentionsPage(before: place, limit: rows), .mentionsPage(place))
        mentions[.me]?.paging = .requested(ref, page, limit: limit)
    }

    mutating func mentionsCame(_ page: MentionsPage, _ epoch: Epoch, before place: MentionPlace, ref: UInt64) {
        guard case .requested(ref, _, let limit) = mentions[.me]?.paging, let list = mentions[.me]?.replica else {
            return
        }
        guard epoch == list.epoch else {
            mentions[.me]?.paging = .wanted(.older, limit: limit, from: now)
            return requestMentions()
        }
        let (held, isMending) = (Set(olderMentions.rows.map(\.id)), olderMentions.isTorn)
        olderMentions.insert(page, before: place, of: list)
        var changes = ReplicaChanges<MyMention.ID>()
        changes.inserted = page.rows.map(\.id).filter { !held.contains($0) && list[$0] == nil }
        let next = mentions[.me]?.next
        mentions[.me]?.paging = next.map { .wanted($0.page, limit: $0.limit, from: now) }
        mentions[.me]?.next = nil
        changed(.me, isMending ? .live : .page(.older), changes, [MyMention](), [])
        requestMentions()
    }

    mutating func mentionsFailed(_ error: WireError, ref: UInt64) {
        guard case .requested(ref, let page, let limit) = mentions[.me]?.paging else { return }
        if error.isPassing {
            mentions[.me]?.paging = .wanted(page, limit: limit, from: now + error.pause)
        } else {
            mentions[.me]?.paging = nil
            notify(.olderMentionsRefused(error))
        }
    }
}
