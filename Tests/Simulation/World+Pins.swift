import ChatClient
import ChatRoom
import ChatWire
import TestSupport

// Pinned messages. They have chances of their own, so that schedules without them stay as they are.

extension World {
    /// Somebody follows the pinned messages of a room, or the moderator changes them.
    func pinOrFollow(_ client: Client, in room: RoomName) {
        guard pinning != nil, let view = client.rooms[room]?.view else { return }
        guard client.index == 0, Int.random(in: 0..<3, using: &pinning!) > 0 else {
            client.followsPins.insert(room)
            return tell(client, .follow(.pins(room)))
        }
        let seen = view.messages.suffix(12).map(\.id)
        guard let id = seen.randomElement(using: &pinning!) else { return }
        give(
            Command(id: .random(using: &pinning!), room: room, action: .moderate(change(of: id, in: room, client))),
            to: client)
    }

    private func change(of id: MessageID, in room: RoomName, _ client: Client) -> Moderation {
        let others = client.pins[room]?.pins.map(\.id).filter { $0 != id } ?? []
        let other = others.randomElement(using: &pinning!)
        switch (Int.random(in: 0..<6, using: &pinning!), other) {
        case (0, _): return .unpin(id)
        case (1, let other?): return .unpin(other)
        case (2, let other?), (3, let other?): return .pin(id, .before(other))
        case (4, let other?): return .pin(id, .after(other))
        default: return .pin(id, .last)
        }
    }

    /// In what the lists of pinned messages that a client follows differ from what the disk has.
    func deviationsOfPins(of client: Client) -> [String] {
        client.followsPins.sorted().filter { hasPlace(client.user, in: $0) }.compactMap { room in
            let truth = disk.truth(of: room)
            let texts = Dictionary(truth.rows.map { ($0.id, $0.text) }) { $1 }
            let right = (truth.laws.last?.configuration.pins.entries ?? []).compactMap { entry in
                texts[entry.message].map { "\(entry.message): \($0)" }
            }
            guard let view = client.pins[room] else {
                return "client \(client.index) holds no pinned messages of \(room)"
            }
            let held = view.pins.map { "\($0.id): \($0.light.content.text)" }
            return held == right ? nil : "client \(client.index) holds the pinned messages \(held), which are \(right)"
        }
    }
}
