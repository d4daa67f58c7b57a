import ChatRoom
import ChatWire
import JSON
import WebSocketTransport

extension ChatServer {
    /// Lists the connections, each with its unsent bytes.
    func listConnections(after: ConnectionID?, limit: Int, _ id: RequestID) {
        // Ask for one more than requested: its existence is the value of `more`.
        let found = sessions.summaries(after: after, limit: limit + 1)
        let page = Array(found.prefix(limit))
        backlogs.peek(at: page.map(\.connection), over: transport) { [self] backlogs in
            respond(to: id) { json in
                json.array("connections", page) { json, session in
                    json.object { session.write(to: &$0, backlogs[session.connection] ?? Backlog()) }
                }
                json.boolean("more", found.count > limit)
            }
        }
    }

    /// Closes connections, and answers with their number.
    func close(_ order: ClosingOrder, _ id: RequestID) {
        let connections =
            switch order.whose {
            case .connection(let number): sessions.has(ConnectionID(number)) ? [ConnectionID(number)] : []
            case .user(let user): sessions.connections(of: user)
            }
        let code = order.comesBack ? CloseCode.closedByOperator : CloseCode.barredByOperator
        for connection in connections { gateway.dismiss(connection, code: code, reason: order.reason) }
        respond(to: id) { $0.number("closed", connections.count) }
    }
}

extension SessionSummary {
    fileprivate func write(to json: inout JSONWriter, _ backlog: Backlog) {
        json.string("connection", "\(connection.rawValue)")
        json.string("address", address)
        json.number("since", since)
        if let user { json.string("user", user.description) }
        json.array("lists", lists.map(\.description).sorted()) { $0.string(nil, $1) }
        json.number("unsentBytes", backlog.unsentBytes)
        json.number("listsBehind", backlog.listsBehind)
        json.number("waiting", backlog.waiting)
    }
}
