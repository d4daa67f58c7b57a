package import ChatWire

/// The messages that one user has written and not sent, `me/drafts`.
package struct DraftList: PeopleList {
    package var list: FollowedList<Draft>
    private var user: UserName?
    private var isTouched = false
    package var missing: Set<Int> = []

    package init(
        epoch: Epoch, tick: Duration, _ limits: WireLimits,
        tagging tag: @escaping @Sendable (Draft) -> UniqueID? = { _ in nil }
    ) {
        list = FollowedList(VersionedList(tagging: tag), of: epoch, tick: tick)
    }

    package var names: some Collection<UserName> { CollectionOfOne(user).compactMap(\.self) }
    package var count: Int { user == nil ? 0 : 1 }

    package var due: Duration? { isFollowed && (isTouched || list.rows.missing != shownMissing) ? list.soonest : nil }

    private var shownMissing: [Int] { missing.map { $0 + 1 }.sorted() }

    /// - Parameter names: the list's user.
    package mutating func request(_ names: [UserName]) -> (new: [UserName], fallen: [UserName]) {
        guard user == nil, let name = names.first else { return ([], []) }
        (user, isTouched) = (name, true)
        return ([name], [])
    }

    package mutating func touch(_ name: UserName) {
        if name == user { isTouched = true }
    }

    package mutating func commit(at now: Duration, _ drafts: (UserName) -> [StoredDraft]?) -> ListDiff<Draft>? {
        if isTouched, let user { show(drafts(user) ?? []) }
        isTouched = false
        return list.commit(at: now, missing: shownMissing)
    }

    private mutating func show(_ drafts: [StoredDraft]) {
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
