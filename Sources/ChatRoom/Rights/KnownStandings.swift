import ChatWire

/// The standings of a room's people, as far as the room needed them.
///
/// - Law: a known standing is that of the last revision that was applied.
struct KnownStandings: Equatable, Sendable {
    private var known: [UserName: Standing] = [:]
    /// True when people without an entry have the default standing, and not an unknown one.
    private(set) var isWhole = false
    /// Readings of before this revision add nothing: a later change may have been dropped.
    private var floor: Revision = 0

    /// The number of entries at which those that are not needed are dropped.
    private var most = Self.least
    private static let least = 1_024

    var count: Int { known.count }

    var isLarge: Bool { !isWhole && known.count > most }

    /// `nil` if it is unknown.
    subscript(user: UserName) -> Standing? { known[user] ?? (isWhole ? Standing() : nil) }

    mutating func replace(by rules: RoomRules, asOf revision: Revision) {
        self = KnownStandings()
        floor = revision
        fill(from: rules)
    }

    /// Adds what is unknown from a reading that is not newer than what is known.
    mutating func add(_ rules: RoomRules, asOf revision: Revision) {
        guard !isWhole, revision >= floor else { return }
        fill(from: rules)
    }

    private mutating func fill(from rules: RoomRules) {
        for (user, standing) in rules.standings where known[user] == nil { known[user] = standing }
        guard let scope = rules.scope else { return completeAll() }
        for user in scope where known[user] == nil { known[user] = Standing() }
    }

    private mutating func completeAll() {
        isWhole = true
        dropDefaults { _ in true }
    }

    mutating func apply(_ change: RowChange) {
        for (user, standing) in change.standings {
            known[user] = isWhole && standing == Standing() ? nil : standing
        }
    }

    /// Drops the default standings of people who are not needed.
    mutating func dropDefaults(at revision: Revision, of people: Set<UserName>) {
        guard !isWhole else { return }
        dropDefaults { !people.contains($0) }
        floor = revision
        most = max(Self.least, 2 * known.count)
    }

    private mutating func dropDefaults(where isUnneeded: (UserName) -> Bool) {
        known = known.filter { $0.value != Standing() || !isUnneeded($0.key) }
    }
}
