package import ChatWire

/// The users whom one user has blocked, `me/blocked`.
package struct BlockedList: OwnPeopleList {
    package var list: FollowedList<BlockedUser>
    package var user: UserName?
    package var isTouched = false
    package var missing: Set<Int> = []

    package init(
        epoch: Epoch, tick: Duration, _ limits: WireLimits,
        tagging tag: @escaping @Sendable (BlockedUser) -> UniqueID? = { _ in nil }
    ) {
        list = FollowedList(VersionedList(tagging: tag), of: epoch, tick: tick)
    }

    package mutating func show(_ blocks: [StoredBlock], at now: Duration, time: Milliseconds) {
        let users = Set(blocks.map(\.user))
        for row in list.rows.rows where !users.contains(row.id) { list.rows.hide(row.id) }
        for block in blocks.sorted(by: { ($0.time, $0.user) < ($1.time, $1.user) }) {
            let light = BlockedUser.Light(time: block.time)
            guard list.rows[block.user]?.light != light else { continue }
            var row = BlockedUser(id: block.user, sort: ActivityStamp(of: block.time).sort, rev: 0, light: light)
            row.sort = list.rows.freeSort(for: row)
            list.rows.show(row)
        }
    }
}
