public import ChatWire

/// A member's own settings of a room. Other users do not see them.
public struct RoomSettings: Equatable, Sendable {
    /// The place among the member's pinned rooms, in ``ChatWire/SettingsChange/places``; `nil` for none.
    public var pinned: UInt64?
    public var isMuted: Bool
    public var isArchived: Bool
    /// The revision at which the member marked the room as unread; 0 for a mark that was never set, or taken back. The
    /// mark lasts until the member's read mark reaches this revision, and that does not move before.
    ///
    /// Marks and read marks may come in any order, because a read mark from before the mark changes nothing.
    public var marked: Revision

    public init(pinned: UInt64? = nil, isMuted: Bool = false, isArchived: Bool = false, marked: Revision = 0) {
        self.pinned = pinned
        self.isMuted = isMuted
        self.isArchived = isArchived
        self.marked = marked
    }

    /// The section of the member's list of rooms in which the room stands.
    public var section: MyRoom.Section { isArchived ? .archived : pinned == nil ? .rooms : .pinned }

    /// Returns whether a member who has read so far may move their read mark to a revision.
    public func allowMark(_ revision: Revision, after read: Revision) -> Bool { marked <= read || revision >= marked }

    /// Returns the settings after a change.
    ///
    /// - Parameter revision: the one that the change gets.
    func changed(by change: SettingsChange, at revision: Revision) -> RoomSettings {
        var settings = self
        switch change.pinned {
        case .at(let place): settings.pinned = place
        case .off: settings.pinned = nil
        case nil: break
        }
        settings.isMuted = change.isMuted ?? isMuted
        settings.isArchived = change.isArchived ?? isArchived
        if let isMarked = change.isMarked { settings.marked = isMarked ? revision : 0 }
        return settings
    }
}
