import ChatClient
import ChatWire

/// The users whom the user blocks.
extension FullScreen {
    func perform(_ line: BlockLine) {
        switch line {
        case .list: showNotice(blocked.map { lineForPeople($0, people) } ?? "not known yet: again in a moment")
        case .change(let user, let direction):
            client.block(user, direction)
            if !status.isOnline { showNotice("waits for a connection") }
        }
    }

    func blockedChanged(_ change: BlockedChange) {
        blocked = change.view
        followProfiles(change.view.users.map(\.id))
        ignored.blocked = Set(change.view.users.map(\.id))
        ignoredChanged()
        for room in rooms.all where isOfBlocked(room) { closeRoom(room.name) }
    }

    /// Returns whether it is the direct room with a blocked user, who would see that this one is there.
    private func isOfBlocked(_ room: RoomScreen) -> Bool {
        guard room.name.kind == .direct, !room.name.isThread, let members = room.members?.members else { return false }
        let others = members.map(\.id).filter { $0 != user }
        return others.count == 1 && ignored.blocked.contains(others[0])
    }
}
