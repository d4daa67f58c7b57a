/// A message that the server sends at a time, or a reminder of a message: a row of `me/later`.
///
/// - Shape: `sort` follows from the time, so the item that comes first is at the beginning of its section.
public struct LaterItem: ListRow {
    public enum Section: String, ListSection {
        /// Reminders whose time has come, and messages that the server could not send.
        case due
        case waiting

        public var order: Int { self == .due ? 0 : 1 }
    }

    public enum Action: Equatable, Sendable {
        /// Send the message. It has no files, and the item's id.
        case send(MessageContent)
        /// Remind the user of the message.
        case remind(MessageID)
    }

    /// The action, its room and its time.
    public struct Plan: Equatable, Sendable {
        public var room: RoomName
        /// The time of day, by the server's clock.
        public var at: Milliseconds
        public var action: Action

        public init(_ action: Action, in room: RoomName, at time: Milliseconds) {
            (self.action, self.room, at) = (action, room, time)
        }

        /// About the bytes of the plan.
        package var size: Int { if case .send(let content) = action { content.size } else { 16 } }
    }

    public struct Light: Equatable, Sendable {
        public var plan: Plan
        /// The reason why the server could not send the message; `nil` for any other item.
        public var refusal: WireError?

        public init(_ plan: Plan, refusal: WireError? = nil) {
            (self.plan, self.refusal) = (plan, refusal)
        }
    }

    /// The longest time ahead of an item: 366 days.
    public static let horizon: Milliseconds = 366 * 86_400_000

    public let id: UniqueID
    public var section: Section
    public var sort: UInt64
    public var rev: Revision
    public var tag: UniqueID?
    public var light: Light

    public init(id: UniqueID, section: Section, sort: UInt64, rev: Revision, tag: UniqueID? = nil, light: Light) {
        self.id = id
        self.section = section
        self.sort = sort
        self.rev = rev
        self.tag = tag
        self.light = light
    }

    public static func mix(_ id: UniqueID, into hash: inout FNVHash) {
        Message.mix(id, into: &hash)
    }
}
