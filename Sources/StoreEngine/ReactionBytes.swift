package import ChatWire

/// A row's reactions as one value of a column.
///
/// - Shape: for each reaction its emoji, the number of its users, and each user; texts as their length in bytes and
///   that many bytes of UTF-8; numbers as LEB128, least significant seven bits first. No reactions are no bytes.
package enum ReactionBytes {
    package static func encoding(_ reactions: [Reaction]) -> [UInt8] {
        var bytes: [UInt8] = []
        for reaction in reactions {
            bytes.append(text: reaction.emoji)
            bytes.append(number: reaction.users.count)
            for user in reaction.users { bytes.append(text: user.description) }
        }
        return bytes
    }

    /// Returns the reactions; `nil` if the bytes do not have the shape.
    package static func decoding(_ bytes: [UInt8]) -> [Reaction]? {
        var rest = bytes[...]
        var reactions: [Reaction] = []
        while !rest.isEmpty {
            guard let emoji = rest.readText(), let count = rest.readNumber() else { return nil }
            var users: [UserName] = []
            for _ in 0..<count {
                guard let name = rest.readText(), let user = UserName(known: name) else { return nil }
                users.append(user)
            }
            reactions.append(Reaction(emoji: emoji, users: users))
        }
        return reactions
    }
}

extension [UInt8] {
    fileprivate mutating func append(text: String) {
        append(number: text.utf8.count)
        append(contentsOf: text.utf8)
    }

    fileprivate mutating func append(number: Int) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func readText() -> String? {
        guard let length = readNumber(), length <= count else { return nil }
        defer { removeFirst(length) }
        return String(validating: prefix(length), as: UTF8.self)
    }

    /// Reads a number; `nil` if it exceeds the bytes, or the largest length in a file.
    fileprivate mutating func readNumber() -> Int? {
        var number = 0
        for shift in stride(from: 0, through: 28, by: 7) {
            guard let byte = popFirst() else { return nil }
            number |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        return nil
    }
}
