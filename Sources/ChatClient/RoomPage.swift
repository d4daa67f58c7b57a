public import ChatWire

/// A part of a room to load.
///
/// ```swift
/// client.go(to: .id(quoted), in: lobby)
/// let subscription = client.didChange.sink { change in
///     if case .page(.around(let anchor)) = change.cause { print(change.view.message(at: anchor)?.text ?? "") }
/// }
/// ```
public enum RoomPage: Equatable, Sendable {
    /// The messages before all that are held.
    case older
    /// A part of the gap with this ``ChatWire/ListGap/id``.
    case gap(Int, from: Side)
    /// The messages on both sides of one, wherever it is.
    case around(PagePlace.Anchor)

    /// The side of a gap that comes first.
    public enum Side: Sendable {
        case beginning
        case end
    }
}
