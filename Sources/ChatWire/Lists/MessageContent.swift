/// Everything of a message that its author chose.
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
    /// An application's object. A client that does not know its kind shows the text.
    public var data: AppData?
    /// Its files, at most ``Attachment/most``.
    public var files: [Attachment]
    /// `nil` for a text that is complete.
    public var growth: Growth?
    /// True when the author did not look at the room, as of a scheduled message: it does not mark the room as read for them.
    public var isAway: Bool

    public init(
        _ text: String, replyTo: MessageID? = nil, mentions: Mentioned = [], data: AppData? = nil,
        files: [Attachment] = [], growth: Growth? = nil, isAway: Bool = false
    ) {
        self.text = text
        self.replyTo = replyTo
        self.mentions = mentions
        self.data = data
        self.files = files
        self.growth = growth
        self.isAway = isAway
    }

    public init(stringLiteral text: String) { self.init(text) }

    /// Returns whether all is equal, the text byte by byte: any other equality depends on the Unicode version. The server
    /// decides ``isAway`` each time that it sends a scheduled message.
    package func isSame(as other: MessageContent) -> Bool {
        var other = other
        guard text.hasBytes(of: other.text) else { return false }
        (other.text, other.isAway) = (text, isAway)
        return self == other
    }

    /// Returns the content after an edit.
    package func edited(by edit: ContentEdit) -> MessageContent {
        var edited = self
        if let text = edit.text { (edited.text, edited.mentions) = (text, edit.mentions) }
        if let data = edit.data { edited.data = data.isEmpty ? nil : data }
        return edited
    }

    /// The content with its text in the form in which it is stored.
    package var entered: MessageContent {
        var entered = self
        entered.text = EnteredText(text).text
        return entered
    }

    /// The content as it stands in a row.
    package var withoutProofs: MessageContent {
        guard !files.isEmpty else { return self }
        var content = self
        content.files = files.map(\.withoutProof)
        return content
    }

    /// The bytes of the text, of the names that it mentions, of the data, and of what is known of the files.
    package var size: Int {
        let bytes = files.reduce(text.utf8.count + (data?.bytes.count ?? 0)) { $0 + $1.bytes }
        return mentions.people.reduce(bytes) { $0 + $1.description.utf8.count }
    }
}

/// A change of a message's content by its author. The files stay, and an open message stays open.
///
/// ```swift
/// client.edit(id, in: room, "tea, @bob")                              // the text; what the application added stays
/// client.edit(id, in: room, ContentEdit(data: AppData("{}")))         // the data alone, which an empty object removes
/// ```
public struct ContentEdit: Equatable, Sendable, ExpressibleByStringInterpolation {
    /// The new text; `nil` to keep it, and its mentions.
    public var text: String?
    /// Whom the new text calls.
    public var mentions: Mentioned
    /// The new data; ``AppData/empty`` for none, `nil` to keep what there is.
    public var data: AppData?

    public init(_ text: String? = nil, mentions: Mentioned = [], data: AppData? = nil) {
        self.text = text
        self.mentions = mentions
        self.data = data
    }

    public init(stringLiteral text: String) { self.init(text) }

    /// The edit that brings a content.
    package init(to content: MessageContent) {
        self.init(content.text, mentions: content.mentions, data: content.data)
    }

    package var entered: ContentEdit {
        var entered = self
        entered.text = text.map { EnteredText($0).text }
        return entered
    }

    /// The size of the content that it brings.
    package var size: Int { MessageContent("").edited(by: self).size }
}
