// Writes Sources/ChatWire/Names/Compositions.swift, from the Unicode tables of the toolchain that runs it:
//
//     swift scripts/compositions.swift > Sources/ChatWire/Names/Compositions.swift
//
// Only Foundation makes the composition of a string public, and ChatWire does not import it.
@_spi(_Unicode) import Swift

func hexadecimal(_ scalar: UInt32) -> String { "0x" + String(scalar, radix: 16, uppercase: true) }

func lines(_ items: [String], indent: String) -> String {
    var lines: [String] = []
    for item in items {
        if let last = lines.last, last.count + item.count + 3 <= 116 {
            lines[lines.count - 1] = last + " " + item + ","
        } else {
            lines.append(indent + item + ",")
        }
    }
    return lines.joined(separator: "\n")
}

var replaced: [ClosedRange<UInt32>] = []
var pairs: [UInt32: [(first: UInt32, composed: UInt32)]] = [:]
let syllables: ClosedRange<UInt32> = 0xAC00...0xD7A3
for value in 0...0x10FFFF as ClosedRange<UInt32> {
    guard let scalar = Unicode.Scalar(value), !syllables.contains(value) else { continue }
    if Array(String(scalar)._nfc) != [scalar] {
        if let last = replaced.last, last.upperBound + 1 == value {
            replaced[replaced.count - 1] = last.lowerBound...value
        } else {
            replaced.append(value...value)
        }
        continue
    }
    let parts = Array(String(scalar)._nfd)
    guard parts.count > 1, let last = parts.last else { continue }
    var first = String.UnicodeScalarView()
    first.append(contentsOf: parts.dropLast())
    pairs[last.value, default: []].append((Array(String(first)._nfc)[0].value, value))
}
let triples = pairs.sorted { $0.key < $1.key }.flatMap { mark, pairs in
    pairs.sorted { $0.first < $1.first }.map { [mark, $0.first, $0.composed].map(hexadecimal).joined(separator: ", ") }
}
let bounds = replaced.map { "\(hexadecimal($0.lowerBound)), \(hexadecimal($0.upperBound))" }
print(
    """
    /// The pairs of characters that Unicode 17 composes to one. Written by scripts/compositions.swift.
    ///
    /// - Source: Unicode Standard Annex #15, "Unicode Normalization Forms". The rules for existing characters never change;
    ///   a later version only adds characters.
    enum Compositions {
        /// The composed character, by its second and then its first character. Hangul is computed instead.
        static let pairs: [UInt32: [UInt32: UInt32]] = stride(from: 0, to: triples.count, by: 3).reduce(into: [:]) {
            $0[triples[$1], default: [:]][triples[$1 + 1]] = triples[$1 + 2]
        }

        /// The characters that normal form C replaces by others, ascending.
        static let replaced: [ClosedRange<UInt32>] = stride(from: 0, to: bounds.count, by: 2).map {
            bounds[$0]...bounds[$0 + 1]
        }

        // Plain numbers: a literal of dictionaries and ranges takes the compiler six times as long.

        /// Second characters, first ones, and what they compose to.
        private static let triples: [UInt32] = [
    \(lines(triples, indent: "        "))
        ]

        private static let bounds: [UInt32] = [
    \(lines(bounds, indent: "        "))
        ]
    }
    """)
