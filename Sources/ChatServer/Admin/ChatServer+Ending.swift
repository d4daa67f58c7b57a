import ChatWire
import JSON
import Synchronization
import WebSocketTransport

// An operator's actions on the process and its data.

extension ChatServer {
    /// Drains the server. Answers first, because a draining server accepts no more connections.
    func drain(_ id: RequestID, _ admin: AdminConfiguration) {
        log(.info, "asked to end", ["by": "the admin API"])
        respond(to: id, 202) { json in
            json.boolean("draining", true)
            json.number("connections", sessions.count)
        }
        admin.drain()
    }

    func writeDrain(to json: inout JSONWriter) {
        json.boolean("draining", isDraining.load(ordering: .relaxed))
        json.number("connections", sessions.count)
    }

    func back(up order: BackupOrder, _ id: RequestID, _ admin: AdminConfiguration) throws(AdminRefusal) {
        guard let backup = admin.backup else { throw .error(.noBackups) }
        do throws(WireError) {
            try backups.begin({ backup(order.name) }, log: log)
        } catch {
            throw .error(error)
        }
        respond(to: id, 202) { $0.string("state", "running") }
    }
}

extension WireError {
    fileprivate static let noBackups = WireError(
        .noResource, "no backups are set up: start the server with --data and --backup-folder")
}
