/// A change of a person's own settings of a room. A property that is `nil` leaves its setting as it is.
///
/// - Shape: at least one property is not `nil`.
public struct SettingsChange: Hashable, Sendable {
    /// A room's place among a person's pinned rooms.
    public enum Pin: Hashable, Sendable {
        case off
        /// The row's sort key in the section `pinned`, or the next one that no other pinned room has. It is in
        /// ``SettingsChange/places``.
        case at(UInt64)
    }

    /// The places of pinned rooms. They are below the sort keys of all other rooms, which grow with time and passed the last
    /// place in 1987; between are the keys of rooms that were pinned to one place.
    public static let places: ClosedRange<UInt64> = 1...1 << 50

    public var pinned: Pin?
    public var isMuted: Bool?
    public var isArchived: Bool?
    public var isMarked: Bool?
    /// The sort key of the first message that is to be unread, where ``isMarked`` is true; `nil` to leave the read mark as
    /// it is.
    public var unreadFrom: UInt64?

    public init(pinned: Pin? = nil, isMuted: Bool? = nil, isArchived: Bool? = nil, isMarked: Bool? = nil) {
        self.pinned = pinned
        self.isMuted = isMuted
        self.isArchived = isArchived
        self.isMarked = isMarked
    }

    /// A mark as unread from a message on.
    public init(unreadFrom sort: UInt64) {
        self.init(isMarked: true)
        unreadFrom = sort
    }
}
