import ChatWire

/// The rooms that are open: the one shown, perhaps another one beside it, and those that were shown lately.
struct OpenRooms {
    /// The most rooms that stay open, besides those in which something is being written.
    static let most = 6

    /// The room that the keys are for.
    private(set) var shown: RoomScreen
    /// The room beside it; `nil` if there is only one on the screen.
    private(set) var beside: RoomScreen?
    /// The rooms that are not shown. The one shown last is the first.
    private var others: [RoomScreen] = []

    init(_ shown: RoomScreen) {
        self.shown = shown
    }

    var all: [RoomScreen] { visible + others }

    /// The rooms on the screen.
    var visible: [RoomScreen] { [shown] + (beside.map { [$0] } ?? []) }

    subscript(name: RoomName) -> RoomScreen? {
        all.first { $0.name == name }
    }

    /// Puts the room that was shown last beside the one shown.
    ///
    /// - Returns: the room beside it; `nil` if no other room is open.
    mutating func split() -> RoomScreen? {
        if beside == nil, !others.isEmpty { beside = others.removeFirst() }
        return beside
    }

    /// Leaves only the room that the keys are for.
    ///
    /// - Returns: the room that is no longer on the screen.
    mutating func unsplit() -> RoomScreen? {
        guard let room = beside else { return nil }
        beside = nil
        others.insert(room, at: 0)
        return room
    }

    /// Gives the keys to the other room on the screen.
    mutating func swap() {
        guard let other = beside else { return }
        (shown, beside) = (other, shown)
    }

    /// Shows a room instead of the one shown.
    ///
    /// - Returns: the room that is no longer open; `nil` if all others stay.
    mutating func show(_ room: RoomScreen) -> RoomScreen? {
        others.removeAll { $0 === room }
        others.insert(shown, at: 0)
        shown = room
        guard others.count >= Self.most, let last = others.lastIndex(where: \.isIdle) else { return nil }
        return others.remove(at: last)
    }

    /// Closes a room for which the keys are not.
    mutating func close(_ room: RoomName) {
        if beside?.name == room { beside = nil }
        others.removeAll { $0.name == room }
    }
}
