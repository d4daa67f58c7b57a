import JSON

/// A UUID: 128 bits that a client makes up, so that a repeated request takes effect once.
///
/// - Shape: written as 36 characters, `8-4-4-4-12` hexadecimal digits; read in either case, written in lower case.
/// - Source: RFC 9562.
public struct UniqueID: Hashable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Returns a random UUID (version 4).
    public static func random() -> UniqueID {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    public static func random(using generator: inout some RandomNumberGenerator) -> UniqueID {
        let version4: UInt64 = 0x4000
        let variant: UInt64 = 0x8000_0000_0000_0000
        return UniqueID(
            high: generator.next() & ~0xF000 | version4,
            low: generator.next() & ~0xC000_0000_0000_0000 | variant
        )
    }
}

/// The id of one message. The client that sends the message makes it.
public typealias MessageID = UniqueID

/// The id of one command, by which its repeats are recognised. A `send` uses its message's id.
public typealias CommandID = UniqueID

extension UniqueID: Comparable {
    public static func < (left: UniqueID, right: UniqueID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension UniqueID: LosslessStringConvertible {
    /// `nil` unless `text` is 36 characters of the shape.
    public init?(_ text: String) {
        self.init(utf8: text.utf8)
    }

    package init?(utf8 text: some Collection<UInt8>) {
        guard text.count == 36 else { return nil }
        var halves: (high: UInt64, low: UInt64) = (0, 0)
        var digits = 0
        for (position, byte) in text.enumerated() {
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = hexadecimalDigit(byte) else { return nil }
            if digits < 16 { halves.high = halves.high << 4 | digit } else { halves.low = halves.low << 4 | digit }
            digits += 1
        }
        self.init(high: halves.high, low: halves.low)
    }

    public var description: String {
        String(decoding: utf8, as: UTF8.self)
    }

    /// The 36 characters.
    package var utf8: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        append(to: &text)
        return text
    }

    /// Appends the 36 characters.
    func append(to text: inout [UInt8]) {
        for place in 0..<16 {
            if place == 4 || place == 6 || place == 8 || place == 10 { text.append(UInt8(ascii: "-")) }
            let half = place < 8 ? high : low
            let byte = UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * (place & 7)))
            text.append(hexadecimalCharacter(byte >> 4))
            text.append(hexadecimalCharacter(byte & 0xF))
        }
    }
}
