package import ChatWire

/// The messages that the server sends at a time for one user, and their reminders, `me/later`.
///
/// A reminder becomes due by the time alone: nothing is stored then, so no server can lose it.
package struct LaterList: OwnPeopleList {
    package var list: FollowedList<LaterItem>
    package var user: UserName?
    package var isTouched = false
    package var missing: Set<Int> = []
    package private(set) var next: Duration?

    /// The longest time after which the list looks at the time of day again, because that can jump.
    private static let glance: Milliseconds = 60_000

    package init(
        epoch: Epoch, tick: Duration, _ limits: WireLimits,
        tagging tag: @escaping @Sendable (LaterItem) -> UniqueID? = { _ in nil }
    ) {
        list = FollowedList(VersionedList(tagging: tag), of: epoch, tick: tick)
    }

    package mutating func show(_ items: [StoredLater], at now: Duration, time: Milliseconds) {
        let ids = Set(items.map(\.id))
        for row in list.rows.rows where !ids.contains(row.id) { list.rows.hide(row.id) }
        for item in items.sorted(by: { ($0.time, $0.id) < ($1.time, $1.id) }) {
            let section = item.section(at: time)
            let known = list.rows[item.id]
            guard known?.light != item.light || known?.section != section else { continue }
            var row = LaterItem(
                id: item.id, section: section, sort: ActivityStamp(of: item.time).sort, rev: 0,
                light: item.light)
            if let known, known.light.plan.at == row.light.plan.at {
                row.sort = known.sort
            } else {
                row.sort = list.rows.freeSort(for: row)
            }
            list.rows.show(row)
        }
        let waiting = list.rows.rows.filter { $0.section == .waiting && !$0.isMessage }
        next = waiting.map(\.light.plan.at).min().map { now + .milliseconds(min(max(0, $0 - time), Self.glance)) }
    }
}

extension StoredLater {
    /// The time by which the list is ordered.
    fileprivate var time: Milliseconds { due ?? light.plan.at }

    /// A message that is due waits until it was sent.
    fileprivate func section(at time: Milliseconds) -> LaterItem.Section {
        switch light.plan.action {
        case .send: light.refusal == nil ? .waiting : .due
        case .remind: light.plan.at > time ? .waiting : .due
        }
    }
}

extension LaterItem {
    fileprivate var isMessage: Bool { if case .send = light.plan.action { true } else { false } }
}
