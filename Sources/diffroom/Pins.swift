import ChatWire

/// The places of the user's pinned rooms: the room with the lowest sort key is the first.
struct Pins {
    /// The pinned rooms, the first one first.
    let rooms: [MyRoom]

    /// A room, and the place that it is to get.
    struct Pin: Equatable {
        let room: RoomName
        let place: UInt64
    }

    /// The distance of neighbours, so that many rooms can come between them.
    static let step: UInt64 = 1 << 20

    /// Returns the pins that bring a room to an index among the others: its own, with a place between its neighbours'; and
    /// those of all, if there is none.
    ///
    /// - Parameter index: `nil` for the end, as is one behind it.
    /// - Complexity: O(*n*).
    func bringing(_ room: RoomName, to index: Int?) -> [Pin] {
        let others = rooms.filter { $0.id != room }
        let index = min(index ?? others.count, others.count)
        let before = index > 0 ? others[index - 1].sort : 0
        let distance = index < others.count ? (others[index].sort - before) / 2 : Self.step
        let places = SettingsChange.places
        // A row right behind another one may have been given a lower place, which the other one has, too.
        let isHidden = index < others.count && rooms.contains { $0.sort &+ 1 == others[index].sort }
        if distance > 0, !isHidden, before <= places.upperBound, places.contains(before + distance) {
            return [Pin(room: room, place: before + distance)]
        }
        var names = others.map(\.id)
        names.insert(room, at: index)
        return names.enumerated().map { Pin(room: $1, place: (UInt64($0) + 1) * Self.step) }
    }
}
