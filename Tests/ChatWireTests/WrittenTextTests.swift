import JSON
import TestSupport
import Testing

@testable import ChatWire

/// JSON that a terminal, a pager or a log shows does not steer it.
struct WrittenTextTests {
    @Test(arguments: UInt64(0)..<50)
    func noControlCharacterIsWrittenAsItIs(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var text = ""
        for _ in 0..<40 {
            let range = [0x00...0x7F, 0x7F...0xFF, 0x7F...0xA1, 0x80...0x2FF, 0x2000...0x2100].randomElement(
                using: &random)
            text.unicodeScalars.append(Unicode.Scalar(UInt32(Int.random(in: range ?? 0...0, using: &random))) ?? "a")
        }
        var json = JSONWriter()

        json.string(nil, text)

        let written = String(decoding: json.bytes, as: UTF8.self)
        #expect(written.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
        #expect(try JSONTape(json.bytes).root.string?.utf8.elementsEqual(text.utf8) == true)
    }
}
