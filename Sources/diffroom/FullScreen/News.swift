import ChatClient
import ChatWire
import Replicas

/// The messages that came after those that a user had read when the program began.
struct News {
    /// The user's read mark then.
    let mark: Revision
    /// The sort key of the last message then.
    let end: UInt64
    let user: UserName

    /// Returns the text above a message: how many are new, if it is the first of them, and else `nil`.
    ///
    /// - Parameter before: the message before it, if there is no gap between the two.
    func text(above message: Message, after before: Message?, in room: RoomView) -> String? {
        guard mark > 0, message.sort > mark, message.sort <= end else { return nil }
        let range = room.held.ranges.first { $0.contains(message.sort) }
        let isFirst = before.map { $0.sort <= mark } ?? range?.contains(mark) ?? false
        let new = room.messages.reversed().prefix { $0.sort > mark }.filter { $0.sort <= end && $0.author != user }
        guard isFirst, !new.isEmpty else { return nil }
        if !room.gaps.contains(where: { $0.before > mark }) { return "\(new.count.grouped) new" }
        return room.missing.map { "\((new.count + $0).grouped) new" } ?? "new"
    }
}
