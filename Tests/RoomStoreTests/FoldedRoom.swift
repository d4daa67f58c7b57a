import ChatRoom
import ChatWire
import RoomStore

/// The rows that a room's operations fold to, which each store must hold.
struct FoldedRoom {
    private var byID: [MessageID: Message] = [:]
    private(set) var rules = RoomRules(of: .open)
    /// The members', each with their own.
    private(set) var settings: [UserName: RoomSettings] = [:]

    init(_ operations: [CommittedOperation], limits: WireLimits = WireLimits()) throws(Refusal) {
        for entry in operations {
            let id = entry.operation.message
            let row = id.flatMap { byID[$0] }
            let membership = settings[entry.operation.author].map(Membership.member)
            let change = try entry.operation.fold(
                onto: row, by: membership ?? .guest(memberships: 0), under: rules, at: entry.revision, limits: limits)
            rules.apply(change)
            if let leaver = change.leaver { settings[leaver] = nil }
            if case .joined(let user) = change { settings[user] = RoomSettings() }
            if case .settings(let user, let changed, _) = change { settings[user] = changed }
            switch change {
            case .inserted(var row):
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
