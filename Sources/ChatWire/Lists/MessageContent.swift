/// What the author of a message says: everything of the message that its author chose.
///
/// ```swift
/// let answer = MessageContent("@bob yes", replyTo: question, mentions: [bob])
/// client.send(answer, to: room)
/// ```
///
/// It travels whole, from the keyboard to the row: a layer names one of its fields only where a rule depends on it.
public struct MessageContent: Equatable, Sendable, ExpressibleByStringInterpolation {
    public var text: String
    /// The message that this one answers. It may have been deleted since.
    public var replyTo: MessageID?
    /// Whom the text calls.
    public var mentions: Mentioned

    public init(_ text: String, replyTo: MessageID? = nil, mentions: Mentioned = []) {
        self.text = text
        self.replyTo = replyTo
        self.mentions = mentions
    }

    public init(stringLiteral text: String) { self.init(text) }

    /// Returns whether all is equal, the text byte by byte: any other equality depends on the Unicode version.
    package func isSame(as other: MessageContent) -> Bool {
        var other = other
        guard text.hasBytes(of: other.text) else { return false }
        other.text = text
        return self == other
    }

    /// Returns the content after an edit. What the message answers stays.
    package func edited(to new: MessageContent) -> MessageContent {
        var edited = new
        edited.replyTo = replyTo
        return edited
    }

    /// The content with its text in the form in which it is stored.
    package var entered: MessageContent {
        var entered = self
        entered.text = EnteredText(text).text
        return entered
    }

    /// The part of the content by which an edit replaces another one.
    package var replacement: MessageContent {
        var replacement = self
        replacement.replyTo = nil
        return replacement
    }

    /// The bytes of the text and of the names that it mentions.
    package var size: Int {
        mentions.people.reduce(text.utf8.count) { $0 + $1.description.utf8.count }
    }
}
