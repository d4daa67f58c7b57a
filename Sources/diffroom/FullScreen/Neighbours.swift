import ChatClient
import ChatWire

extension [MyRoom] {
    /// Returns the nearest room above or below another one in which something is unread. If there is none on that side, it
    /// is the neighbour.
    ///
    /// Silenced rooms are passed over, except those with a mention for the user.
    ///
    /// - Parameter name: the room to begin with. From one that is not here, the way is down from the first.
    func nearest(_ direction: Controls.ListDirection, of name: RoomName) -> MyRoom? {
        let place = firstIndex { $0.id == name }
        let way = direction == .up ? prefix(place ?? 0).reversed() : Array(dropFirst(place.map { $0 + 1 } ?? 0))
        return way.first(where: \.isCalling) ?? way.first { !$0.light.isMuted || $0.light.mentions > 0 }
    }
}
