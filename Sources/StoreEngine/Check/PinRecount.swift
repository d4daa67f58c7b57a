import ChatRoom
import ChatWire

/// The pinned messages of a room, recounted from its operations.
///
/// A message whose send is forgotten was deleted or trimmed, at a time that the operations do not tell. The order of the
/// others is certain then, and their places are not.
struct PinRecount {
    private var pinned: [(id: MessageID, sort: UInt64?, place: UInt64)] = []
    private var arePlacesCertain = true

    /// - Parameters:
    ///   - sort: `nil` for a message whose send is forgotten.
    ///   - start: the first sort key that the room has kept.
    mutating func pin(_ id: MessageID, at sort: UInt64?, _ place: PinPlace, from start: UInt64) {
        if sort ?? 0 < start || sort == nil { arePlacesCertain = false }
        let known = pinned.map(\.id)
        let target: Int
        switch place {
        case .last where known.contains(id): return
        case .last: target = known.count
        case .before(let other): target = (known.filter { $0 != id }.firstIndex(of: other) ?? known.count)
        case .after(let other): target = (known.filter { $0 != id }.firstIndex(of: other) ?? known.count) + 1
        }
        guard known.firstIndex(of: id) != target else { return }
        pinned.removeAll { $0.id == id }
        let index = min(target, pinned.count)
        let floor = index == 0 ? 0 : pinned[index - 1].place
        let isLast = index == pinned.count
        let room = isLast ? 2 << 20 : pinned[index].place - floor
        pinned.insert((id, sort, floor + room / 2), at: index)
        guard room < 2 || isLast && floor + room / 2 >= 1 << 53 else { return }
        for index in pinned.indices { pinned[index].place = UInt64(index + 1) << 20 }
    }

    mutating func unpin(_ id: MessageID) {
        pinned.removeAll { $0.id == id }
    }

    /// Returns the pins that the operations lead to.
    ///
    /// - Parameters:
    ///   - stored: the store's. Its places count where the operations do not tell them.
    ///   - start: the first sort key that the room has kept.
    func right(for stored: Pins, from start: UInt64) -> Pins {
        let kept = pinned.filter { $0.sort ?? 0 >= start && $0.sort != nil }
        if !arePlacesCertain, stored.entries.map(\.message) == kept.map(\.id),
            stored.entries.map(\.sort) == kept.map({ $0.sort ?? 0 })
        {
            return stored
        }
        let entries = kept.map { Pins.Entry(message: $0.id, sort: $0.sort ?? 0, place: $0.place) }
        return Pins(entries) ?? Pins()
    }
}

extension Pins {
    /// The pinned messages and their places, for a report.
    var text: String {
        isEmpty ? "none" : entries.map { "\($0.message) at \($0.place)" }.joined(separator: ", ")
    }
}
