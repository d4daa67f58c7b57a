/// An operator's request to close connections.
package struct ClosingOrder: Equatable, Sendable {
    package enum Whose: Equatable, Sendable {
        case connection(UInt64)
        case user(UserName)
    }

    package let whose: Whose
    /// The reason that the clients are given.
    package let reason: String
    /// True when the clients may reconnect by themselves.
    package let comesBack: Bool

    /// The longest reason that fits a close frame, in bytes.
    private static let longestReason = 123

    package init(json: [UInt8]) throws(WireError) {
        let fields = try Fields(body: json)
        switch (fields.optional("connection"), fields.optional("user")) {
        case (nil, .some): whose = .user(try fields.user("user", .entered))
        case (.some, nil): whose = .connection(try fields.connection())
        case (.some, .some): throw fields.error("user", "came together with `connection`: send one of the two")
        case (nil, nil): throw fields.missing("user", "must be a name; or `connection` a connection's number")
        }
        reason = try fields.optional("reason") == nil ? "closed by the operator" : fields.text("reason")
        guard (1...Self.longestReason).contains(reason.utf8.count) else {
            throw fields.error("reason", "has \(reason.utf8.count) bytes, must be 1 to \(Self.longestReason)")
        }
        comesBack = try fields.optionalBoolean("comesBack") ?? true
    }
}

extension Fields {
    /// Reads a connection's number from a string: it can be larger than a JSON number can hold in every language.
    fileprivate func connection() throws(WireError) -> UInt64 {
        let text = try text("connection")
        guard text.utf8.first != UInt8(ascii: "+"), let number = UInt64(text) else {
            throw misshapen("connection", text, "a connection's number, as a string of digits")
        }
        return number
    }
}
