import Diffable
import FoundationEssentials

/// An identifier that a benchmark can make from a number.
protocol Identifier: Hashable, Sendable {
    static func make(_ number: Int) -> Self
}

extension Int: Identifier {
    static func make(_ number: Int) -> Int { Int(truncatingIfNeeded: scrambled(number, 1)) }
}

extension UUID: Identifier {
    static func make(_ number: Int) -> UUID {
        var bytes: [UInt8] = []
        for half in [scrambled(number, 1), scrambled(number, 2)] {
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: half >> shift))
            }
        }
        let b = bytes
        return UUID(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
    }
}

extension String: Identifier {
    /// 36 characters, as a UUID is written.
    static func make(_ number: Int) -> String { UUID.make(number).uuidString }
}

/// A typical identifier of an app: two words, not optimised.
struct Key: Identifier {
    var high: UInt64
    var low: UInt64

    static func make(_ number: Int) -> Key { Key(high: scrambled(number, 1), low: scrambled(number, 2)) }
}

/// A UUID under a name of its own.
struct Wrapper: Identifier, IdentifierWrapper {
    let wrappedIdentifier: UUID

    static func make(_ number: Int) -> Wrapper { Wrapper(wrappedIdentifier: .make(number)) }
}

private func scrambled(_ number: Int, _ half: UInt64) -> UInt64 {
    var z = (UInt64(truncatingIfNeeded: number) &* 2 &+ half) &* 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
}
