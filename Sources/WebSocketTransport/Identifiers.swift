/// Names one connection of one server or client: a number that is not used again.
package struct ConnectionID: Hashable, Sendable {
    package let rawValue: UInt64

    /// The server's event loop that owns the connection; 0 for connections of a ``WebSocketClient``.
    package var loop: Int { Int(rawValue >> 56) }

    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// Names one outgoing log. The server's user chooses the numbers.
package struct TopicID: Hashable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// Names one plain HTTP request that waits for its answer.
package struct RequestID: Hashable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }
}
