import TestSupport
import Testing

/// One case of the Autobahn test suite for servers: a client's frames, and the expected answer.
struct EchoCase: CustomTestStringConvertible, Sendable {
    enum Pace: Sendable {
        case atOnce
        /// Each frame by itself; a ping is waited for.
        case frames
        case octets
    }

    enum End: Equatable, Sendable {
        /// The connection lives: the client closes it and gets the same code back.
        case lives
        /// The server closes with one of these codes; 0 is an end without a code.
        case fails([UInt16])
    }

    let number: String
    let says: [[UInt8]]
    let pace: Pace
    let hears: [RawPeer.Message]
    let end: End

    var testDescription: String { number }

    init(
        _ number: String, _ says: [[UInt8]], pace: Pace = .atOnce, hears: [RawPeer.Message] = [], end: End = .lives
    ) {
        (self.number, self.says, self.pace, self.hears, self.end) = (number, says, pace, hears, end)
    }

    static let breach = End.fails([1002, 0])
    static let noText = End.fails([1007])

    /// The mask is of zeros, which is fast for any length.
    static func frame(_ first: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
        let count = payload.count
        let length: [UInt8] =
            switch count {
            case ..<126: [0x80 | UInt8(count)]
            case ..<65_536: [0xFE, UInt8(count >> 8), UInt8(count & 0xFF)]
            default: [0xFF] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
            }
        return [first] + length + [0, 0, 0, 0] + payload
    }

    static func frame(_ first: UInt8, text: String) -> [UInt8] { frame(first, Array(text.utf8)) }

    /// A message in fragments of so many bytes.
    static func fragments(_ opcode: UInt8, _ payload: [UInt8], of size: Int) -> [[UInt8]] {
        stride(from: 0, to: payload.count, by: size).map { start in
            let isLast = start + size >= payload.count
            let piece = Array(payload[start..<min(start + size, payload.count)])
            return frame((start == 0 ? opcode : 0) | (isLast ? 0x80 : 0), piece)
        }
    }

    static func message(_ first: UInt8, _ payload: [UInt8]) -> RawPeer.Message {
        RawPeer.Message(first: first, payload: payload)
    }

    static func pong(_ text: String) -> RawPeer.Message { message(0x8A, Array(text.utf8)) }
}
