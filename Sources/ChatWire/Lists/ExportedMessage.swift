import JSON

/// A message as `diffroom export` writes it: its row, and for a reply in a thread the message that the thread answers.
package struct ExportedMessage: Equatable, Sendable {
    package let message: Message
    /// `nil` for a message of the room itself.
    package let root: MessageID?

    package init(_ message: Message, root: MessageID? = nil) {
        (self.message, self.root) = (message, root)
    }

    /// The JSON object, without an end of line.
    package var json: [UInt8] {
        guard let root else { return message.json }
        return message.json.dropLast() + Array(#","root":"\#(root)"}"#.utf8)
    }

    package init(json: [UInt8]) throws(WireError) {
        let envelope: Envelope
        do {
            envelope = try Envelope(json)
        } catch {
            throw WireError(.syntax, error.message)
        }
        let fields = try envelope.fields()
        self.init(try Message(fields, section: .history), root: try fields.optionalID("root"))
    }
}
