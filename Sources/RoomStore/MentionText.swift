package import ChatWire

/// The people whom a message mentions as one value of a column.
///
/// - Shape: the names, each on a line of its own, which no name contains; `nil` for nobody.
package enum MentionText {
    package static func encoding(_ mentions: [UserName]) -> String? {
        mentions.isEmpty ? nil : mentions.map(\.description).joined(separator: "\n")
    }

    /// Returns the names; `nil` if the text does not have the shape.
    package static func decoding(_ text: String) -> [UserName]? {
        var mentions: [UserName] = []
        for line in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
            guard let user = UserName(known: String(Substring(line))) else { return nil }
            mentions.append(user)
        }
        return mentions
    }
}
