public import ChatWire

extension Message {
    /// The text for people: that of a damaged message says so.
    public var displayText: String { isDamaged ? "This message is damaged" : text }
}

extension LastMessage {
    /// The text for people: that of a damaged message says so.
    public var displayText: String { isDamaged ? "This message is damaged" : text }
}
