import ChatWire

/// A room's messages since a moment: the number of all, and of the last ones the sort keys and whom they mention.
///
/// - Shape: at most 256 are known one by one. Their sort keys are the revisions of their sends.
struct MessageLog: Sendable {
    /// Whom a message mentions, and who wrote it.
    private struct Call: Sendable {
        let sort: Revision
        let author: UserName
        let mentions: Mentioned

        init(_ row: Message) {
            (sort, author, mentions) = (row.sort, row.author, row.mentions)
        }

        func isFor(_ user: UserName) -> Bool { author != user && mentions.includes(user) }
    }

    private(set) var count = 0
    /// The number of those that mention everybody.
    private(set) var callsToEveryone = 0
    /// The sort keys of all messages above ``floor``.
    private var recent: ArraySlice<Revision> = []
    /// The messages of ``recent`` with mentions.
    private var calls: [Call] = []
    private var floor: Revision = 0

    private static let mostRecent = 256

    mutating func insert(_ row: Message) {
        count += 1
        recent.append(row.sort)
        if recent.count > Self.mostRecent {
            floor = recent.removeFirst()
            calls.removeAll { $0.sort <= floor }
        }
        guard !row.mentions.isEmpty else { return }
        calls.append(Call(row))
        if row.mentions.everyone { callsToEveryone += 1 }
    }

    /// Applies an edited message.
    ///
    /// - Returns: whether it may mention others than before.
    mutating func reload(_ row: Message) -> Bool {
        let before = calls.first { $0.sort == row.sort }?.mentions ?? []
        guard row.sort <= floor || before != row.mentions else { return false }
        calls.removeAll { $0.sort == row.sort }
        if row.sort > floor, !row.mentions.isEmpty { calls.append(Call(row)) }
        return true
    }

    /// No message up to a revision is known one by one any more.
    mutating func forget(upTo revision: Revision) {
        (recent, calls, floor) = ([], [], revision)
    }

    /// The number of messages above a revision; `nil` if they are not all known.
    func count(above revision: Revision) -> Int? {
        revision >= floor ? recent.endIndex - recent.partitioningIndex { $0 > revision } : nil
    }

    /// The number of those messages that mention a person.
    func mentions(of user: UserName, above revision: Revision) -> Int {
        calls.count { $0.sort > revision && $0.isFor(user) }
    }
}
