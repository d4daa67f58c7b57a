import ChatWire
import Replicas

/// The pages of messages that mention the user from before the list of the newest ones.
///
/// They are as of when they were read. When rows go from the list's beginning because newer ones are there, they are missing
/// between the pages and the list, until a page before the list's first row brings them.
///
/// - Shape: `rows` in the order of their times, without a gap, and none of the list's.
struct OlderMentions: Sendable {
    private(set) var rows: [MyMention] = []
    /// True when messages are missing between the rows and the list.
    private(set) var isTorn = false
    /// True when the store has older messages than all pages; `nil` before the first page.
    private var more: Bool?
    /// The row of the list on which the rows join.
    private var seam: MyMention.ID?
    private var epoch: Epoch?

    /// Returns whether there may be older messages than all that are held.
    func hasOlder(than list: Replica<MyMention>) -> Bool {
        isTorn || more ?? (list.rows.count >= WireLimits.newestMentions)
    }

    /// Returns the place before which the next page ends; `nil` if there is none.
    func place(before list: Replica<MyMention>) -> MentionPlace? {
        guard hasOlder(than: list) else { return nil }
        return (isTorn ? list.rows.first : rows.first ?? list.rows.first).map(MentionPlace.init)
    }

    /// Applies the list's present rows. Pages of another epoch are nothing to it: the user may see less now.
    mutating func follow(_ list: Replica<MyMention>) {
        guard epoch == list.epoch, let held = seam, let first = list.rows.first else {
            self = OlderMentions()
            epoch = list.epoch
            return
        }
        isTorn = list[held] == nil && !rows.contains { $0.id == first.id }
        guard !isTorn else { return }
        seam = first.id
        rows.removeAll { list[$0.id] != nil }
    }

    /// Puts in a page that was asked for with a place. It takes the place of what was held of its part.
    mutating func insert(_ page: MentionsPage, before place: MentionPlace, of list: Replica<MyMention>) {
        let end = rows.firstIndex { $0.id == place.id }
        let (past, rest) = (rows[..<(end ?? rows.endIndex)], rows[(end ?? rows.endIndex)...])
        let start = page.rows.first.flatMap { first in past.firstIndex { $0.id == first.id } }
        rows = past[..<(page.more ? start ?? 0 : 0)] + page.rows + rest
        if start == nil || !page.more { more = page.more }
        if end == nil { seam = place.id }
        follow(list)
    }
}
