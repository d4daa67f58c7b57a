public import ChatWire
public import Replicas

/// One change of a room's pinned messages.
///
/// ```swift
/// let subscription = client.pinsDidChange.sink { change in
///     print("\(change.room):", change.view.pins.map(\.light.content.text))
/// }
/// client.openPins(of: lobby)
/// ```
public struct PinsChange: Sendable {
    public let room: RoomName
    /// The changed rows, by the ids of the messages.
    public let changes: ReplicaChanges<MessageID>
    /// The list after the change.
    public let view: PinsView
}

/// The pinned messages of a room, as of one revision.
///
/// ```swift
/// if let agenda = view.pins.first { client.moderate(lobby, .unpin(agenda.id)) }
/// ```
public struct PinsView: Sendable {
    let replica: Replica<Pin>

    public var epoch: Epoch { replica.epoch }
    public var revision: Revision { replica.revision }
    /// In the order of the room's moderators.
    public var pins: [Pin] { replica.rows }

    public subscript(id: MessageID) -> Pin? { replica[id] }
}
