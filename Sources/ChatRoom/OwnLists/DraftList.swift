package import ChatWire

/// The messages that one user has written and not sent, `me/drafts`.
package struct DraftList: OwnPeopleList {
    package var list: FollowedList<Draft>
    package var user: UserName?
    package var isTouched = false
    package var missing: Set<Int> = []

    package init(
        epoch: Epoch, tick: Duration, _ limits: WireLimits,
        tagging tag: @escaping @Sendable (Draft) -> UniqueID? = { _ in nil }
    ) {
        list = FollowedList(VersionedList(tagging: tag), of: epoch, tick: tick)
    }

    package mutating func show(_ drafts: [StoredDraft], at now: Duration, time: Milliseconds) {
        let rooms = Set(drafts.map(\.room))
        for row in list.rows.rows where !rooms.contains(row.id) { list.rows.hide(row.id) }
        for draft in drafts.sorted(by: { $0.isOlder(than: $1) }) {
            let light = Draft.Light(content: draft.content, time: draft.time)
            guard list.rows[draft.room]?.light != light else { continue }
            var row = Draft(id: draft.room, sort: ActivityStamp(of: draft.time).sort, rev: 0, light: light)
            row.sort = list.rows.freeSort(for: row)
            list.rows.show(row)
        }
    }
}
