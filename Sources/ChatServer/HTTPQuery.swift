import ChatWire
import WebSocketTransport

/// What stands behind the question mark.
struct AdminQuery {
    private var values: [Substring: String] = [:]

    /// - Throws: `bad_request` for a parameter that the place does not have, or that stands there twice.
    init(_ query: String?, of place: AdminPlace) throws(WireError) {
        let known = place.parameters
        for pair in query?.split(separator: "&") ?? [] {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard known.contains(parts[0]) else {
                let there = known.isEmpty ? "none here" : known.joined(separator: " and ")
                throw WireError(.badRequest, "there is no parameter '\(parts[0])': there are \(there)")
            }
            guard values[parts[0]] == nil else { throw WireError(.badRequest, "\(parts[0]) stands there twice") }
            values[parts[0]] = parts.count == 2 ? String(parts[1]) : ""
        }
    }

    func room(_ key: Substring) throws(WireError) -> RoomName? {
        guard let text = values[key] else { return nil }
        guard let room = RoomName(text) else {
            throw WireError(
                .badRequest, "\(key) must be a room's name: 1 to 64 letters, digits, '.', '_' and '-'")
        }
        return room
    }

    func number(_ key: Substring) throws(WireError) -> UInt64? {
        let number = try digits(key, below: "2^53")
        guard number ?? 0 < JSONValue.integerLimit else { throw .notANumber(key, below: "2^53") }
        return number
    }

    private func digits(_ key: Substring, below limit: String) throws(WireError) -> UInt64? {
        guard let text = values[key] else { return nil }
        guard text.utf8.first != UInt8(ascii: "+"), let number = UInt64(text) else {
            throw .notANumber(key, below: limit)
        }
        return number
    }

    func connection(_ key: Substring) throws(WireError) -> ConnectionID? {
        try digits(key, below: "2^64").map { ConnectionID($0) }
    }

    /// How long a page may be.
    private static let limits: ClosedRange<UInt64> = 1...1_000

    func limit() throws(WireError) -> Int {
        let limit = try number("limit") ?? 100
        guard Self.limits.contains(limit) else {
            let (least, most) = (Self.limits.lowerBound, Self.limits.upperBound)
            throw WireError(.badRequest, "limit must be a whole number from \(least) to \(most)")
        }
        return Int(limit)
    }
}

extension WireError {
    fileprivate static func notANumber(_ key: Substring, below limit: String) -> WireError {
        WireError(.badRequest, "\(key) must be a whole number below \(limit)")
    }
}
