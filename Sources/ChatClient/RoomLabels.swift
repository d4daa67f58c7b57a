public import ChatWire

/// The labels of the user's rooms, as far as a client knows them.
///
/// ```swift
/// var labels = RoomLabels()
/// labels.apply(view)
/// print(labels[lobby].heading)
/// ```
public struct RoomLabels: Sendable {
    private var known: [RoomName: RoomLabel] = [:]
    /// The labels of rooms that were the user's until the last change.
    private var former: [RoomName: RoomLabel] = [:]

    /// The labels of rooms that are followed or were created. The user's list may lack them.
    private var others: [RoomName: RoomLabel] = [:]
    /// The labels of the people of direct rooms.
    public var people = PeopleLabels()

    public init() {}

    /// Applies the labels of the user's rooms.
    ///
    /// - Complexity: O(*n*).
    public mutating func apply(_ rooms: RoomsView) {
        var left = known
        known = [:]
        for room in rooms.all {
            known[room.id] = room.label
            left[room.id] = nil
        }
        if !left.isEmpty { former = left }
    }

    /// Applies the title of a room that is followed.
    public mutating func apply(_ standing: RoomStanding, of room: RoomName) {
        others[room] = RoomLabel(room, title: standing.title, people: others[room]?.people ?? [])
    }

    /// Adds a room that was created.
    public mutating func apply(_ new: NewRoom, as room: RoomName) {
        others[room] = RoomLabel(room, title: new.title, people: new.kind == .direct ? new.people.sorted() : [])
    }

    /// Of a thread, the label that its room gives it.
    public subscript(room: RoomName) -> RoomLabel {
        if let parent = room.parent { return RoomLabel(room, threadOf: self[parent]) }
        let label = known[room] ?? former[room] ?? others[room] ?? RoomLabel(room)
        return RoomLabel(room, title: label.title, people: label.people, called: people)
    }
}
