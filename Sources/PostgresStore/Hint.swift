import ChatWire

/// What one server tells the others.
///
/// - Shape of the payload: the server, a space, and `ROOM:REVISION` pairs with commas in between; at most 7,900 bytes,
///   for PostgreSQL carries less than 8,000.
struct Hint: Equatable {
    let payload: String

    private static let longest = 7_900

    /// As many as it takes.
    static func all(_ revisions: [RoomName: Revision], from server: String) -> [Hint] {
        var payloads: [String] = []
        var current = ""
        for (room, revision) in revisions {
            let pair = "\(room):\(revision)"
            if current.isEmpty || current.utf8.count + pair.utf8.count >= longest {
                if !current.isEmpty { payloads.append(current) }
                current = "\(server) \(pair)"
            } else {
                current += ",\(pair)"
            }
        }
        return (payloads + [current]).map(Hint.init)
    }

    /// What a payload says, unless `server` said it; what is not understood says nothing.
    static func read(_ payload: String, for server: String) -> [(RoomName, Revision)] {
        let parts = payload.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0] != server else { return [] }
        return parts[1].split(separator: ",").compactMap { pair in
            let halves = pair.split(separator: ":")
            guard halves.count == 2, let room = RoomName(String(halves[0])), let revision = Revision(halves[1]) else {
                return nil
            }
            return (room, revision)
        }
    }
}
