import ChatWire

extension ClientSession {
    /// Requests a room's audit log now, or as soon as there is a connection.
    mutating func audit(_ room: RoomName, limit: Int) {
        audits.append((room, limit))
        requestAudits()
    }

    mutating func requestAudits() {
        guard let welcome else { return }
        for (room, limit) in audits {
            let rows = min(max(limit, ListDigest.window), welcome.limits.rows)
            _ = request(.audit(room, before: 1 << 53 - 1, limit: rows), .audit(room, limit: limit))
        }
        audits = []
    }

    /// Queues again the requests whose answers were lost with the connection.
    mutating func keepAudits() {
        for case (_, .audit(let room, let limit)) in awaited.sorted(by: { $0.key < $1.key }) {
            audits.append((room, limit))
        }
    }
}
