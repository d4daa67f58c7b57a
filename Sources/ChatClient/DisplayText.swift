public import ChatWire

extension Message {
    /// The text for people: that of a damaged message says so.
    public var displayText: String { isDamaged ? "This message is damaged" : text }
}

extension LastMessage {
    /// The text for people: that of a damaged message says so.
    public var displayText: String { isDamaged ? "This message is damaged" : text }
}

extension Growth {
    /// The state of a text, for people: a caret while it grows.
    public var note: String {
        switch self {
        case .open: "▍"
        case .ended(.stopped): "(stopped)"
        case .ended(.failed): "(failed)"
        case .ended(.interrupted): "(interrupted)"
        }
    }
}
