import Testing

@testable import Diffable

@Suite
struct StringRowsTests {
    /// Strings with other bytes at any one place, and with equal bytes in other storage, of all lengths about 16 and 32.
    @Test(arguments: [0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 36, 47, 48, 49, 100])
    func rowsAreEqualAsFarAsTheirStringsAre(length: Int) {
        let text = String(repeating: "abcdefghij", count: 10).prefix(length)
        var (mine, theirs): ([Row<String>], [Row<String>]) = ([], [])
        for place in 0..<length {
            mine.append(Row(String(text), hash: 7))
            theirs.append(Row(String(text), hash: 7))
            let other = String(text.enumerated().map { $0.offset == place ? "Z" : $0.element })
            #expect(count([Row(String(text), hash: 7)], [Row(other, hash: 7)]) == 0)
        }

        #expect(count(mine, theirs) == length)
        #expect(count(mine, mine) == length)
    }

    /// Strings that are equal as characters, whose bytes are not, and strings of which one is the beginning of another.
    @Test(arguments: [
        ("caf\u{E9} and more than sixteen", "cafe\u{301} and more than sixteen", 1),
        ("\u{212A}elvin, more than sixteen", "Kelvin, more than sixteen", 1),
        ("more than sixteen characters", "more than sixteen character", 0), ("\u{E9}", "e\u{301}", 1), ("", "", 1),
        ("\u{F900} and others", "\u{8C48} and others", 1), ("\u{F900} and others", "\u{8C49} and others", 0),
    ])
    func stringsAreEqualAsCharacters(one: String, other: String, equal: Int) {
        #expect(count([Row(one)], [Row(other)]) == equal)
        #expect(count([Row(other)], [Row(one)]) == equal)
    }

    private func count(_ a: [Row<String>], _ b: [Row<String>]) -> Int {
        let type = RowType(String.self)
        return unsafe a.withUnsafeBytes { a in
            unsafe b.withUnsafeBytes { b in
                guard let mine = a.baseAddress, let theirs = b.baseAddress else { return 0 }
                return unsafe type.countEqual(mine, theirs, a.count / type.stride, type.stride)
            }
        }
    }
}
