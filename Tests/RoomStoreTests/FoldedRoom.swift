import ChatRoom
import ChatWire
import RoomStore

/// The rows that a room's operations fold to, which each store must hold.
struct FoldedRoom {
    private var byID: [MessageID: Message] = [:]
    private(set) var rules = RoomRules(of: .open)
    private var lastSends = LastSends()
    /// The members', each with their own.
    private(set) var settings: [UserName: RoomSettings] = [:]

    init(_ operations: [CommittedOperation], limits: WireLimits = WireLimits()) throws(Refusal) {
        for entry in operations {
            var base = FoldBase(entry.operation.readSet(in: .open), of: rules.configuration)
            _ = base.loadMessage { byID[$0] }
            base.loadStandings(rules.standing)
            base.loadMemberships { settings[$0].map(Membership.member) ?? .guest(.none) }
            base.loadLastSend { lastSends[$0] }
            base.loadSizes { _ in RoomSizes() }
            let change = try entry.operation.fold(onto: base, at: entry.revision, limits: limits)
            lastSends.apply(change, under: rules.configuration)
            rules.apply(change)
            if let leaver = change.leaver { settings[leaver] = nil }
            if case .joined(let user) = change { settings[user] = RoomSettings() }
            if case .settings(let user, let changed, _) = change { settings[user] = changed }
            switch change {
            case .inserted(var row, _, _):
                row.section = .history
                byID[row.id] = row
            case .reloaded(let row), .reconfigured(let row): byID[row.id] = row
            case .deleted(let id, _): byID[id] = nil
            case .ruled, .joined, .left, .settings, .affiliated, .created, .nothing: break
            }
        }
    }

    /// Ascending by sort key.
    var rows: [Message] {
        byID.values.sorted { $0.sort < $1.sort }
    }
}
