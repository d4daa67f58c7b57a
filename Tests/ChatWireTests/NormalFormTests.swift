@_spi(_Unicode) import Swift
import TestSupport
import Testing

@testable import ChatWire

/// The tables, compared with the standard library's compositions. If a later library knows more characters, run
/// scripts/compositions.swift.
struct NormalFormTests {
    private func isItsOwnComposition(_ text: String) -> Bool {
        text.unicodeScalars.elementsEqual(text._nfc)
    }

    @Test func eachCharacterIsNormalisedAsTheLibrarySays() {
        let scalars = (0...0x10FFFF as ClosedRange<UInt32>).lazy.compactMap { Unicode.Scalar($0) }
        let wrong = scalars.filter { String($0).isNormalised != isItsOwnComposition(String($0)) }

        #expect(Array(wrong) == [])
    }

    @Test func whateverComposesIsFound() {
        let scalars = (0...0x10FFFF as ClosedRange<UInt32>).lazy.compactMap { Unicode.Scalar($0) }
        let written = scalars.map { String($0) }.filter {
            isItsOwnComposition($0) && !$0.unicodeScalars.elementsEqual($0._nfd)
        }
        let wrong = written.filter { text in
            var decomposed = String.UnicodeScalarView()
            decomposed.append(contentsOf: text._nfd)
            return String(decomposed).isNormalised
        }

        #expect(Array(wrong) == [])
    }

    /// Letters, marks of several classes, and both kinds of Hangul, in any order.
    private static let palette: [ClosedRange<UInt32>] = [
        0x61...0x7A, 0xC0...0x17F, 0x300...0x345, 0x300...0x328, 0x5B0...0x5EA, 0x915...0x94D, 0xBBE...0xBD7,
        0x1100...0x11C2, 0xAC00...0xAC40, 0x1E00...0x1FFF, 0x3041...0x3099, 0x1D15E...0x1D16E,
    ]

    @Test(arguments: UInt64(0)..<200)
    func textsAreNormalisedWhenTheirCompositionIsThemselves(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let range = Self.palette.randomElement(using: &random) ?? 0x61...0x7A
                text.append(Unicode.Scalar(UInt32.random(in: range, using: &random)) ?? "a")
            }
            var composed = String.UnicodeScalarView()
            composed.append(contentsOf: String(text)._nfc)

            #expect(String(text).isNormalised == isItsOwnComposition(String(text)), "\(text.map(\.value))")
            #expect(String(composed).isNormalised, "\(text.map(\.value))")
        }
    }
}
