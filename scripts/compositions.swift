// Writes Sources/ChatWire/Names/Compositions.swift, from the Unicode tables of the toolchain that runs it:
//
//     swift scripts/compositions.swift > Sources/ChatWire/Names/Compositions.swift
//
// What a string is composed to is public in Foundation only, which ChatWire has no use for otherwise.
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
let marks = pairs.sorted { $0.key < $1.key }.map { mark, pairs in
    let items = pairs.sorted { $0.first < $1.first }.map { "\(hexadecimal($0.first)): \(hexadecimal($0.composed))" }
    let oneLine = "        \(hexadecimal(mark)): [\(items.joined(separator: ", "))],"
    if oneLine.count <= 120 { return oneLine }
    return "        \(hexadecimal(mark)): [\n\(lines(items, indent: "            "))\n        ],"
}
let ranges = replaced.map { "\(hexadecimal($0.lowerBound))...\(hexadecimal($0.upperBound))" }
print(
    """
    /// Which characters Unicode composes to one, as of Unicode 17. Written by scripts/compositions.swift.
    ///
    /// - Source: Unicode Standard Annex #15, "Unicode Normalization Forms". What it says of a character that exists never
    ///   changes; a later version only adds some.
    enum Compositions {
        /// By the second character and the first one what they make. Without Hangul, which is computed.
        static let pairs: [UInt32: [UInt32: UInt32]] = [
    \(marks.joined(separator: "\n"))
        ]

        /// Characters that normal form C has others for, ascending.
        static let replaced: [ClosedRange<UInt32>] = [
    \(lines(ranges, indent: "        "))
        ]
    }
    """)
