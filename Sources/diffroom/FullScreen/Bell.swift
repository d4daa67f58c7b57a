import ChatClient
import ChatWire

/// The rule for which changes of the user's rooms ring the bell: an invitation, a mention or a message to them
/// alone, and they do not see it anyway.
struct Bell {
    let user: UserName
    /// The user's rooms before the change; `nil` before they are known.
    let before: RoomsView?
    /// The rooms whose new messages the user sees as they come.
    let seen: Set<RoomName>

    /// Returns whether a room rings, as it is after the change.
    func rings(for room: MyRoom) -> Bool {
        let known = before?[room.id]
        switch room.section {
        case .invited: return known?.section != .invited
        case .pinned, .rooms, .archived:
            let isTakenBack = room.light.read < known?.light.read ?? 0  // the user has marked it as unread
            if seen.contains(room.id) || room.light.isMuted || isTakenBack { return false }
            if known == nil, isAtEnd(room) { return false }
            let isForUser = room.id.kind == .direct && room.section != .archived && room.light.last?.author != user
            let isReadAndWritten = hasBeenReadAndWritten(room, since: known)
            func isMore(_ number: UInt64, than before: UInt64?) -> Bool {
                number > before ?? 0 || isReadAndWritten && number > 0
            }
            return isMore(room.light.mentions, than: known?.light.mentions)
                || isForUser && isMore(room.light.unread, than: known?.light.unread)
        }
    }

    /// Returns whether one change has both a newer read mark of the user and a newer message of another user. The number of
    /// unread messages may be the same then.
    private func hasBeenReadAndWritten(_ room: MyRoom, since known: MyRoom?) -> Bool {
        guard let known, room.light.read > known.light.read, let last = room.light.last else { return false }
        guard let former = known.light.last else { return last.author != user }
        return last.author != user && last.id != former.id && last.time >= former.time
    }

    /// Returns whether a room that had no row stands below those that had. It came there because another one left.
    private func isAtEnd(_ room: MyRoom) -> Bool {
        let last = room.section == .archived ? before?.archived.last : before?.rooms.last
        return last.map { room.section != .pinned && room.sort < $0.sort } ?? false
    }
}
