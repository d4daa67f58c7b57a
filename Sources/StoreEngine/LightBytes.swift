package import ChatWire

/// A message's light fields as one value of a column.
///
/// - Shape: for each reaction its emoji, the number of its users, and each user; then of a thread an empty text, its count
///   and its time as texts, the number of its people, and each. Texts are their length in bytes and that many bytes of
///   UTF-8; numbers LEB128, least significant seven bits first. Without reactions and thread there are no bytes.
package enum LightBytes {
    package static func encoding(_ light: Message.Light) -> [UInt8] {
        var bytes: [UInt8] = []
        for reaction in light.reactions {
            bytes.append(text: reaction.emoji)
            bytes.append(number: reaction.users.count)
            for user in reaction.users { bytes.append(text: user.description) }
        }
        guard let thread = light.thread else { return bytes }
        bytes.append(text: "")
        bytes.append(text: "\(thread.count)")
        bytes.append(text: "\(thread.time)")
        bytes.append(number: thread.people.count)
        for user in thread.people { bytes.append(text: user.description) }
        return bytes
    }

    /// Returns the light fields; `nil` if the bytes do not have the shape.
    package static func decoding(_ bytes: [UInt8]) -> Message.Light? {
        var rest = bytes[...]
        var light = Message.Light(reactions: [])
        while !rest.isEmpty {
            guard let emoji = rest.readText() else { return nil }
            if emoji.isEmpty {
                guard let thread = rest.readThread(), rest.isEmpty else { return nil }
                light.thread = thread
            } else {
                guard let users = rest.readUsers() else { return nil }
                light.reactions.append(Reaction(emoji: emoji, users: users))
            }
        }
        return light
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

    fileprivate mutating func readUsers() -> [UserName]? {
        guard let count = readNumber() else { return nil }
        var users: [UserName] = []
        for _ in 0..<count {
            guard let name = readText(), let user = UserName(known: name) else { return nil }
            users.append(user)
        }
        return users
    }

    fileprivate mutating func readThread() -> ThreadSummary? {
        guard let count = readText().flatMap({ Int($0) }), count > 0, let time = readText().flatMap({ Int64($0) }),
            let people = readUsers()
        else { return nil }
        return ThreadSummary(count: count, time: time, people: people)
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
