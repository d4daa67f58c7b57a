package import ChatWire

/// A user whom another one has blocked, as the store keeps it.
package struct StoredBlock: Equatable, Sendable {
    package let user: UserName
    /// The direct room of the two.
    package let room: RoomName
    package let time: Milliseconds

    package init(user: UserName, room: RoomName, time: Milliseconds) {
        (self.user, self.room, self.time) = (user, room, time)
    }
}

/// The users whom one user has blocked. They decide what that user is shown, and change nothing for anyone else.
package struct Blocks: Equatable, Sendable {
    private let users: Set<UserName>
    /// The rooms that are hidden, with their threads.
    private let rooms: Set<RoomName>

    /// No blocks.
    package static let none = Blocks([], besides: [])

    /// - Parameter rooms: the rooms from the blocked users: those to which they have invited the user, who has not accepted, and the
    ///   direct rooms that they have created and of which the user has read nothing.
    package init(_ blocks: [StoredBlock], besides rooms: [RoomName]) {
        users = Set(blocks.map(\.user))
        self.rooms = Set(blocks.map(\.room)).union(rooms)
    }

    package var isEmpty: Bool { users.isEmpty }

    package func contains(_ user: UserName) -> Bool { users.contains(user) }

    /// Returns whether the user is not shown a room that they belong to, or a thread in it.
    package func hides(_ room: RoomName) -> Bool { rooms.contains(room.ruling) }
}

/// A user blocks another one, or ends that.
package struct BlockChange: Equatable, Sendable {
    package let user: UserName
    package let block: StoredBlock
    package let isOn: Bool

    package init(user: UserName, _ block: StoredBlock, isOn: Bool) {
        (self.user, self.block, self.isOn) = (user, block, isOn)
    }
}

extension [BlockChange] {
    /// Applies the changes in order to what is stored of their users, of whom each may have `most` blocks. A repeated block stays
    /// as it is.
    ///
    /// - Returns: whether each change was accepted, and the changes that are to be written.
    package func applied(
        to stored: [UserName: [StoredBlock]], most: Int
    ) -> (accepted: [Bool], changes: [BlockChange]) {
        var blocked = stored.mapValues { Set($0.map(\.user)) }
        var changes: [BlockChange] = []
        let accepted = map { change in
            let (user, count) = (change.block.user, blocked[change.user]?.count ?? 0)
            guard blocked[change.user]?.contains(user) ?? false != change.isOn else { return true }
            guard !change.isOn || count < most else { return false }
            if change.isOn {
                blocked[change.user, default: []].insert(user)
            } else {
                blocked[change.user]?.remove(user)
            }
            changes.append(change)
            return true
        }
        return (accepted, changes)
    }
}
