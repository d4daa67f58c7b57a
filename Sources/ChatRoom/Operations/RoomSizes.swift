package import ChatWire

/// The numbers of rows in a room's tables of people. Each table has a maximum among the limits of the wire.
public struct RoomSizes: Equatable, Sendable {
    /// The members and the invited users.
    package var members: Int
    /// The users with a standing of their own.
    package var standings: Int
    /// The users whose last message in slow mode is kept.
    package var senders: Int

    package init(members: Int = 0, standings: Int = 0, senders: Int = 0) {
        (self.members, self.standings, self.senders) = (members, standings, senders)
    }

    /// The growth of a table that has lost some rows.
    package init(removed: Int, from table: PeopleTable) {
        self.init()
        switch table {
        case .members: members = -removed
        case .standings: standings = -removed
        case .senders: senders = -removed
        }
    }

    package static func += (sizes: inout RoomSizes, growth: RoomSizes) {
        // A damaged store may hold any numbers.
        sizes.members = max(0, sizes.members.addingClamped(growth.members))
        sizes.standings = max(0, sizes.standings.addingClamped(growth.standings))
        sizes.senders = max(0, sizes.senders.addingClamped(growth.senders))
    }
}

extension Int {
    fileprivate func addingClamped(_ other: Int) -> Int {
        let sum = addingReportingOverflow(other)
        return sum.overflow ? self : sum.partialValue
    }
}

/// A table of people in a room, to which an operation may add rows.
public enum PeopleTable: Equatable, Sendable, CaseIterable {
    case members, standings, senders

    package func size(in sizes: RoomSizes) -> Int {
        switch self {
        case .members: sizes.members
        case .standings: sizes.standings
        case .senders: sizes.senders
        }
    }

    /// The most rows.
    package func limit(_ limits: WireLimits) -> Int {
        switch self {
        case .members: limits.members
        case .standings: limits.standings
        case .senders: limits.senders
        }
    }
}

/// The rows of a room's tables that no decision depends on any more. A store removes them when their table is full.
///
/// - Standings of people without a role who are not banned and whose mute has ended. If the person was kicked, the standing
///   ends the subscriptions that began before the kick, so it stays until the servers of the room have applied it.
/// - Last messages that slow mode no longer counts.
package struct StaleRows: Equatable, Sendable {
    /// The store's time. Mutes that ended by then are over.
    package let instant: Milliseconds
    /// Kicks up to this revision are over.
    package let kicked: Revision
    /// Last messages up to this instant are over.
    package let sent: Milliseconds

    /// - Parameter revision: the room's.
    package init(
        at instant: Milliseconds, _ revision: Revision, _ configuration: RoomConfiguration, limits: WireLimits
    ) {
        let recent = Revision(max(0, limits.standings / 2))
        self.instant = instant
        kicked = revision > recent ? revision - recent : 0
        let sent = instant.subtractingReportingOverflow(max(0, configuration.slowMode))
        self.sent = sent.overflow ? .min : sent.partialValue
    }

    package func contains(_ standing: Standing) -> Bool {
        standing.isOver(at: instant) && standing.kicked <= kicked
    }

    package func contains(lastSend time: Milliseconds) -> Bool { time <= sent }
}

extension Standing {
    /// Returns whether the standing gives and forbids nothing from an instant on.
    package func isOver(at instant: Milliseconds) -> Bool { role == .none && !isBanned && mutedUntil <= instant }
}

extension FoldBase {
    /// Returns the numbers of rows that a change adds; negative for those that it removes.
    package func growth(by change: RowChange) -> RoomSizes {
        var growth = RoomSizes()
        switch change {
        case .created(let affiliations, _):
            // A room that is created has nothing yet.
            growth.members = Set(affiliations.filter { $0.membership != nil }.map(\.user)).count
            growth.standings = Set(affiliations.filter { $0.standing != Standing() }.map(\.user)).count
        case .joined(let user):
            if isGuest(user) { growth.members = 1 }
        case .left(let user):
            if !isGuest(user) { growth.members = -1 }
        case .affiliated(let one):
            growth.standings = standingGrowth(of: one.user, to: one.standing)
            growth.members = (one.membership == nil ? 0 : 1) - (isGuest(one.user) ? 0 : 1)
        case .ruled(.standing(let user, let standing)):
            growth.standings = standingGrowth(of: user, to: standing)
            // An operation that declares no membership ends none: a banned user who is muted is not a member.
            if standing.isBanned, declaresMembership(of: user), !isGuest(user) { growth.members = -1 }
        case .inserted(let row, _, let followers):
            growth.members = followers.count
            if configuration.slowMode > 0, lastSend(of: row.author) == nil { growth.senders = 1 }
        case .ruled(.slowMode(0)):
            growth.senders = -.max
        case .ruled, .reloaded, .reconfigured, .deleted, .settings, .nothing:
            break
        }
        return growth
    }

    private func standingGrowth(of user: UserName, to after: Standing) -> Int {
        (after == Standing() ? 0 : 1) - (standing(of: user) == Standing() ? 0 : 1)
    }

    private func isGuest(_ user: UserName) -> Bool {
        if case .guest = membership(of: user) { true } else { false }
    }
}

extension Operation {
    /// Checks that the room's tables have places for the rows that a change adds.
    func requirePlaces(for change: RowChange, in base: FoldBase, _ limits: WireLimits) throws(Refusal) {
        let growth = base.growth(by: change)
        for table in PeopleTable.allCases where table.size(in: growth) > 0 {
            let most = table.limit(limits)
            guard table.size(in: base.sizes(of: table)) + table.size(in: growth) <= most else {
                throw .full(table, most: most)
            }
        }
    }
}
