package import ChatRoom
package import ChatWire

/// The columns of a room's own row that its operations and messages decide.
package struct RoomColumns: Equatable, Sendable {
    package var revision: Revision
    package var count: Int
    package var inserted: Int
    /// Messages with smaller sort keys were trimmed.
    package var start: UInt64
    /// Operations up to this revision may be forgotten.
    package var floor: Revision
    package var configuration: RoomConfiguration
    /// `nil` where the store does not rely on the column.
    package var activity: ActivityStamp?
    /// True when a user has, or had, a standing of their own; `nil` for a store without such a column.
    package var isRuled: Bool?
    /// The faults of columns that cannot be read.
    package var damage: [String]

    package init(
        revision: Revision, count: Int, inserted: Int, start: UInt64, floor: Revision, configuration: RoomConfiguration,
        activity: ActivityStamp?, isRuled: Bool?, damage: [String] = []
    ) {
        (self.revision, self.count, self.inserted, self.start, self.floor) = (revision, count, inserted, start, floor)
        (self.configuration, self.activity, self.isRuled) = (configuration, activity, isRuled)
        self.damage = damage
    }
}

/// A row of the table of memberships.
package struct StoredMembership: Equatable, Sendable {
    /// 0 for a person who is only invited.
    package var joined: Revision
    package var time: Milliseconds
    package var read: Revision
    package var settings: RoomSettings
    package var inviter: UserName?

    package init(
        joined: Revision, time: Milliseconds, read: Revision, settings: RoomSettings = RoomSettings(),
        inviter: UserName? = nil
    ) {
        (self.joined, self.time, self.read, self.settings, self.inviter) = (joined, time, read, settings, inviter)
    }
}

/// A row of the table of messages.
package struct StoredMessage: Sendable {
    package let sort: UInt64
    package let ordinal: Int
    /// `nil` for a row that cannot be read.
    package let message: Message?
    package let reloaded: Revision
    /// False if the row's checksum is wrong. The row then says nothing that its operations do not say.
    package let isSound: Bool

    package init(sort: UInt64, ordinal: Int, message: Message?, reloaded: Revision, isSound: Bool = true) {
        (self.sort, self.ordinal, self.message, self.reloaded) = (sort, ordinal, message, reloaded)
        self.isSound = isSound
    }

    /// The row as one that cannot be read.
    var withoutContent: StoredMessage { StoredMessage(sort: sort, ordinal: ordinal, message: nil, reloaded: 0) }
}

/// A row of the table of tombstones, without the revision of the deletion.
package struct StoredTombstone: Equatable, Sendable {
    package let id: MessageID
    package let sort: UInt64

    package init(id: MessageID, sort: UInt64) {
        (self.id, self.sort) = (id, sort)
    }
}
