import ChatWire
import JSON
import WebSocketTransport

/// The part of a request's target after the question mark.
struct HTTPQuery {
    private var values: [Substring: String] = [:]

    /// - Parameter known: the allowed parameters.
    /// - Throws: `bad_request` for any other parameter, and for a repeated one.
    init(_ query: String?, parameters known: [Substring]) throws(WireError) {
        for pair in query?.split(separator: "&") ?? [] {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard known.contains(parts[0]) else {
                let there = known.isEmpty ? "none here" : known.joined(separator: " and ")
                throw WireError(
                    .unknownField, "there is no parameter '\(parts[0])': there are \(there)", field: String(parts[0]))
            }
            guard values[parts[0]] == nil else { throw .parameter(parts[0], "is given twice") }
            values[parts[0]] = parts.count == 2 ? String(parts[1]) : ""
        }
    }

    func room(_ key: Substring) throws(WireError) -> RoomName? {
        guard let text = values[key] else { return nil }
        guard let room = text.withoutPercents.flatMap({ RoomName($0) }) else {
            throw .parameter(key, "must be a room's name")
        }
        return room
    }

    func user(_ key: Substring) throws(WireError) -> UserName? {
        guard let text = values[key] else { return nil }
        guard let user = text.withoutPercents.flatMap(UserName.init(known:)) else {
            throw .parameter(key, "must be a person's name of 1 to 64 bytes, percent-encoded")
        }
        return user
    }

    /// Reads a text in which a plus stands for a space, as forms write it.
    func text(_ key: Substring) throws(WireError) -> String? {
        guard let value = values[key] else { return nil }
        let spaced = value.replacing("+", with: " ")
        guard let text = spaced.withoutPercents else { throw .parameter(key, "must be text, percent-encoded") }
        return text
    }

    /// Reads a place as TIME/ROOM/SORT.
    func searchPlace(_ key: Substring) throws(WireError) -> SearchPlace? {
        guard let text = try text(key) else { return nil }
        // A thread's name has slashes itself.
        guard let start = text.firstIndex(of: "/"), let end = text.lastIndex(of: "/"), start < end,
            let time = UInt64(text[..<start]), let room = RoomName(String(text[start..<end].dropFirst())),
            let sort = UInt64(text[end...].dropFirst()), max(time, sort) < JSONValue.integerLimit
        else {
            throw .parameter(key, "must be TIME/ROOM/SORT, from `before` of the answer")
        }
        return SearchPlace(time: Milliseconds(time), room: room, sort: sort)
    }

    func id(_ key: Substring) throws(WireError) -> UniqueID? {
        guard let text = values[key] else { return nil }
        guard let id = UniqueID(text) else {
            throw .parameter(key, "must be a UUID: hexadecimal digits, 8-4-4-4-12")
        }
        return id
    }

    func number(_ key: Substring) throws(WireError) -> UInt64? {
        let number = try digits(key, below: "2^53")
        guard number ?? 0 < JSONValue.integerLimit else { throw .notANumber(key, below: "2^53") }
        return number
    }

    private func digits(_ key: Substring, below limit: String) throws(WireError) -> UInt64? {
        guard let text = values[key] else { return nil }
        guard let number = UInt64(text), text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else {
            throw .notANumber(key, below: limit)
        }
        return number
    }

    func connection(_ key: Substring) throws(WireError) -> ConnectionID? {
        try digits(key, below: "2^64").map { ConnectionID($0) }
    }

    /// Reads the length of a page.
    func limit(in range: ClosedRange<UInt64>, default usual: UInt64) throws(WireError) -> Int {
        let limit = try number("limit") ?? usual
        guard range.contains(limit) else {
            throw .parameter(
                "limit", "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return Int(limit)
    }
}

extension String {
    /// The text that is percent-encoded here; `nil` if there is none.
    fileprivate var withoutPercents: String? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(Substring(rest.prefix(2)), radix: 16),
                rest.first != UInt8(ascii: "+")
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension WireError {
    fileprivate static func notANumber(_ key: Substring, below limit: String) -> WireError {
        .parameter(key, "must be a whole number below \(limit)")
    }

    fileprivate static func parameter(_ key: Substring, _ problem: String) -> WireError {
        WireError(.invalid, "\(key) \(problem)", field: String(key))
    }
}
