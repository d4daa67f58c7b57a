/// The first message above a read mark, from which the number of those above it follows.
package struct FirstUnread: Equatable, Sendable {
    /// The message's number among all that ever came into the room's list.
    private let ordinal: Int
    /// The number of deleted messages that came after it. None of them was trimmed, because the message is still there.
    private let deleted: Int
    /// The number of those above the mark that mention the person.
    package let mentions: Int

    /// - Parameters: below 2⁵³, whatever else a store may hold.
    package init(ordinal: Int, deleted: Int, mentions: Int) {
        self.ordinal = ordinal
        self.deleted = deleted
        self.mentions = mentions
    }

    /// - Parameter inserted: how many messages ever came into the room's list; below 2⁵³.
    package func count(of inserted: Int) -> Int { inserted - ordinal + 1 - deleted }
}
