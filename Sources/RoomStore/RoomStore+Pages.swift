package import ChatRoom
package import ChatWire

/// The rows of a room's list on both sides of a sort key, as of one moment.
package struct Neighbours: Equatable, Sendable {
    package let revision: Revision
    /// The last rows below the sort key, ascending.
    package let before: [Message]
    /// The first rows from the sort key on, ascending.
    package let after: [Message]

    package init(revision: Revision, before: [Message], after: [Message]) {
        self.revision = revision
        self.before = before
        self.after = after
    }
}

extension RoomStore {
    /// Reads a page of a room's list; `nil` if the message to surround is not in the room.
    ///
    /// - Errors: `damagedRoom` also for contents that no operations can cause.
    /// - Complexity: O(log rows + limit).
    package func page(
        _ room: RoomName, _ place: PagePlace, limit: Int
    ) throws(RoomStoreError) -> ListPage<Message>? {
        let page: ListPage<Message>
        switch place {
        case .before(let before): page = try self.page(room, after: nil, before: before, limit: limit)
        case .between(let after, let before): page = try self.page(room, after: after, before: before, limit: limit)
        case .after(let after): page = try self.page(room, after: after, limit: limit)
        case .around(let anchor):
            guard let sort = try sort(of: anchor, in: room) else { return nil }
            page = try self.page(room, around: sort, limit: limit)
        }
        if let contradiction = page.contradiction(limit: limit) { throw .damagedRoom(room, contradiction) }
        return page
    }

    /// Reads the rows at some sort keys, as of the page's revision or later.
    ///
    /// - Complexity: O(keys · log rows), each with a query of its own.
    package func rows(at sorts: [UInt64], in room: RoomName) throws(RoomStoreError) -> ListPage<Message> {
        var page = ListPage<Message>(
            revision: .max, from: sorts.first ?? 0, to: sorts.last ?? 0, rows: [], more: false, newer: false)
        for sort in sorts {
            let found = try neighbours(of: sort, in: room, before: 0, after: 1)
            page.revision = min(page.revision, found.revision)
            page.rows += found.after.filter { $0.sort == sort }
        }
        return page
    }

    private func page(
        _ room: RoomName, after: UInt64?, before: UInt64, limit: Int
    ) throws(RoomStoreError) -> ListPage<Message> {
        // Read one more on both sides than requested: it tells whether there are more.
        let found = try neighbours(of: before, in: room, before: limit + 1, after: 1)
        let rows = found.before.filter { $0.sort > after ?? 0 }
        let isCut = rows.count > limit
        let page = Array(rows.suffix(limit))
        let more = isCut || rows.count < found.before.count
        // A page that begins with the list begins at 0: a reader then knows that nothing is before it.
        // Damage may have given a row a key that is still to come.
        let newer = found.after.contains { $0.sort <= found.revision }
        let from = isCut ? page.first?.sort : more ? after.map { $0 + 1 } : 0
        return ListPage(
            revision: found.revision, from: from ?? 0, to: before == 0 ? 0 : min(before - 1, WireInteger.limit - 1),
            rows: page, more: more, newer: newer
        ).trimmed
    }

    private func page(
        _ room: RoomName, after: UInt64, limit: Int
    ) throws(RoomStoreError) -> ListPage<Message> {
        let found = try neighbours(of: after + 1, in: room, before: 1, after: limit + 1)
        let rows = Array(found.after.prefix(limit))
        let isCut = found.after.count > limit
        return ListPage(
            revision: found.revision, from: found.before.isEmpty ? 0 : after + 1,
            to: isCut ? rows.last?.sort ?? after : max(after, found.revision),
            rows: rows, more: !found.before.isEmpty, newer: isCut)
    }

    private func page(
        _ room: RoomName, around sort: UInt64, limit: Int
    ) throws(RoomStoreError) -> ListPage<Message> {
        let found = try neighbours(of: sort, in: room, before: limit + 1, after: limit + 1)
        // One side gets the part of the limit that the other does not need, such as after the last row.
        let half = max(limit / 2, limit - found.after.count)
        let before = found.before.suffix(half)
        let after = found.after.prefix(limit - before.count)
        let (more, newer) = (before.count < found.before.count, after.count < found.after.count)
        let rows = Array(before + after)
        return ListPage(
            revision: found.revision, from: more ? rows.first?.sort ?? sort : 0,
            to: newer ? rows.last?.sort ?? sort : found.revision, rows: rows, more: more, newer: newer)
    }

    /// Returns a place among mentions: at the instant of its message, or at its time if that is not in its room any more.
    package func spot(of place: MentionPlace) throws(RoomStoreError) -> MentionSpot {
        let sort = try sort(of: .id(place.id.message), in: place.id.room)
        guard let sort, sort > 0,
            let sent = try operations(place.id.room, since: sort - 1, limit: 1).first, sent.revision == sort
        else { return MentionSpot(id: place.id, instant: place.time) }
        return MentionSpot(id: place.id, instant: sent.operation.instant)
    }

    /// Reads as ``held(_:in:)`` does.
    ///
    /// - Errors: `damagedRoom` also for contents that no operations can cause.
    package func soundHeld(_ query: HeldQuery, in room: RoomName) throws(RoomStoreError) -> HeldReading {
        let reading = try held(query, in: room)
        if let contradiction = reading.contradiction(to: query) { throw .damagedRoom(room, contradiction) }
        return reading
    }
}

extension ListPage<Message> {
    /// The page without the claim about revisions that have not been reached.
    fileprivate var trimmed: Self {
        var page = self
        page.to = min(to, max(revision, from > 0 ? from - 1 : 0))
        return page
    }
}
