package import ChatRoom
import ChatWire

/// A room's pinned messages as one value of a column.
///
/// - Shape: for each, in their order, 32 bytes: the message's id, its sort key, and its place; numbers with the most
///   significant byte first.
package enum PinBytes {
    private static let size = 32

    package static func encoding(_ pins: Pins) -> [UInt8] {
        pins.entries.flatMap { entry in
            [entry.message.high, entry.message.low, entry.sort, entry.place].flatMap { number in
                stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
            }
        }
    }

    /// Returns the pins; `nil` if the bytes do not have the shape.
    package static func decoding(_ bytes: [UInt8]) -> Pins? {
        guard bytes.count.isMultiple(of: size) else { return nil }
        return Pins(
            stride(from: 0, to: bytes.count, by: size).map { start in
                func number(_ index: Int) -> UInt64 {
                    bytes[start + 8 * index..<start + 8 * index + 8].reduce(0) { $0 << 8 | UInt64($1) }
                }
                return Pins.Entry(
                    message: UniqueID(high: number(0), low: number(1)), sort: number(2), place: number(3))
            })
    }
}
