import ChatRoom
import ChatWire
import RoomStore

/// The rows that a room's operations fold to: what each store must hold.
struct FoldedRoom {
    private var byID: [MessageID: Message] = [:]

    init(_ operations: [CommittedOperation], limits: WireLimits = WireLimits()) throws(Refusal) {
        for entry in operations {
            let id = entry.operation.message
            switch try entry.operation.fold(onto: byID[id], at: entry.revision, limits: limits) {
            case .inserted(var row):
                row.section = .history
                byID[id] = row
            case .reloaded(let row), .reconfigured(let row): byID[id] = row
            case .deleted: byID[id] = nil
            case .nothing: break
            }
        }
    }

    /// Ascending by sort key.
    var rows: [Message] {
        byID.values.sorted { $0.sort < $1.sort }
    }
}
