package import ChatWire

/// Whom a message mentions as one value of a column.
///
/// - Shape: the names, each on a line of its own, which no name contains; `nil` for none. An empty first line stands
///   for everybody.
package enum MentionText {
    package static func encoding(_ mentions: Mentioned) -> String? {
        guard !mentions.isEmpty else { return nil }
        return ((mentions.everyone ? [""] : []) + mentions.people.map(\.description)).joined(separator: "\n")
    }

    /// Returns whom the text names; `nil` if it does not have the shape.
    package static func decoding(_ text: String) -> Mentioned? {
        var lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)[...]
        var mentions = Mentioned([], everyone: lines.first?.isEmpty ?? false)
        if mentions.everyone { lines.removeFirst() }
        for line in lines {
            guard let user = UserName(known: String(Substring(line))) else { return nil }
            mentions.people.append(user)
        }
        return mentions
    }
}

/// A row of a store's table of mentions: a message counts for one person, or for everybody but its author.
package struct MentionRow: Hashable, Sendable {
    package let sort: UInt64
    /// Empty for everybody.
    package let user: String
    /// The author of a message to everybody, for whom it does not count; `nil` for other messages.
    package let author: String?

    package init(sort: UInt64, user: String, author: String?) {
        (self.sort, self.user, self.author) = (sort, user, author)
    }
}

extension Message {
    /// The rows that count the message: one if it mentions everybody, also where it names people as well.
    package var mentionRows: [MentionRow] {
        if mentions.everyone { return [MentionRow(sort: sort, user: "", author: author.description)] }
        return mentions.people.filter(calls).map { MentionRow(sort: sort, user: $0.description, author: nil) }
    }
}
