import ChatWire

/// The rooms that are open: the one shown, and those that were shown lately.
struct OpenRooms {
    /// The most rooms that stay open, besides those in which something is being written.
    static let most = 6

    private(set) var shown: RoomScreen
    /// The rooms that are not shown. The one shown last is the first.
    private var others: [RoomScreen] = []

    init(_ shown: RoomScreen) {
        self.shown = shown
    }

    var all: [RoomScreen] { [shown] + others }

    subscript(name: RoomName) -> RoomScreen? {
        all.first { $0.name == name }
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

    /// Closes a room that is not shown.
    mutating func close(_ room: RoomName) {
        others.removeAll { $0.name == room }
    }
}
