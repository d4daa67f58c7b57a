package import ChatWire

/// A message's content in the columns of a table.
///
/// The columns for the message that is answered and for the mentions are those of earlier formats, which kept the text alone
/// in the first column. Their rows are read as they are, and an edit brings them into the present form.
package struct ContentColumns: Sendable {
    /// The content in its ``ChatWire/MessageContent/stored`` form.
    package var text: String
    package var reply: MessageID?
    /// A ``MentionText``.
    package var mentions: String?

    /// The forms in which a content is written.
    package enum Form: Sendable {
        case whole
        /// For a database that servers of earlier versions read, too.
        case apart
    }

    package init(text: String, reply: MessageID?, mentions: String?) {
        (self.text, self.reply, self.mentions) = (text, reply, mentions)
    }

    package init(_ content: MessageContent, as form: Form = .whole) {
        switch form {
        case .whole: self.init(text: content.stored, reply: nil, mentions: nil)
        case .apart:
            self.init(text: content.text, reply: content.replyTo, mentions: MentionText.encoding(content.mentions))
        }
    }

    /// `nil` if the columns are damaged.
    package var content: MessageContent? {
        guard var content = MessageContent(stored: text) else { return nil }
        if let reply { content.replyTo = reply }
        guard let mentions else { return content }
        guard let mentioned = MentionText.decoding(mentions) else { return nil }
        content.mentions = mentioned
        return content
    }

    /// The content of a row, which may be copied from an edit that removed the data.
    package var row: MessageContent? {
        guard var content else { return nil }
        if content.data?.isEmpty == true { content.data = nil }
        return content
    }
}
