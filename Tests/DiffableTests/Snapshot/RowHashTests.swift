import Foundation
import Testing

@testable import Diffable

@Suite
struct RowHashTests {
    /// Numbers that differ in a few bits only, wherever those are: as rows of a database, in steps, shifted high.
    @Test(arguments: [0, 3, 6, 12, 20, 32, 40, 48])
    func numbersInARowAreSpreadAsRandomOnesWouldBe(shift: Int) {
        let hashes = (0..<10_000).map { rowHash($0 << shift) }

        #expect(Set(hashes).count > 9_990)
        // 10,000 random ones meet 7,490 of 16,384 places.
        #expect(Set(hashes.map { $0 & 16_383 }).count > 7_000)
        #expect(Set(hashes.map { $0 >> 18 }).count > 7_000)
    }

    /// With some keys all of these texts have one hash. Nobody knows the keys of this process.
    @Test func textsThatWereChosenForOneHashHaveManyHere() {
        let key = UInt64(0x3837_3635_3433_3231)
        let texts = (0..<100).map { "12345678\(10_000_000 + $0)" }
        func hashes(_ keys: (UInt64, UInt64)) -> Set<UInt64?> {
            Set(texts.map { text in Array(text.utf8).withUnsafeBytes { unsafe StringHash.ofASCII($0, keys) } })
        }

        #expect(hashes((key, 7)).count == 1)
        #expect(hashes(StringHash.keys).count == 100)
        #expect(StringHash.keys.0 == UInt64(truncatingIfNeeded: 1.hashValue))
    }

    /// A counter anywhere in the 16 bytes, as in UUIDs of a time.
    @Test(arguments: 0...14)
    func identifiersInARowAreSpreadAsRandomOnesWouldBe(byte: Int) {
        let hashes = (0..<10_000).map { number in
            var bytes = [UInt8](repeating: 7, count: 16)
            (bytes[byte], bytes[byte + 1]) = (UInt8(number >> 8), UInt8(number & 255))
            return rowHash(NSUUID(uuidBytes: bytes) as UUID)
        }

        #expect(Set(hashes).count > 9_990)
        #expect(Set(hashes.map { $0 & 16_383 }).count > 7_000)
        #expect(Set(hashes.map { $0 >> 18 }).count > 7_000)
    }

    @Test func identifiersThatAreAppendedTogetherAreFoundAndDoNotRepeat() throws {
        let ids = (0..<200).map { _ in UUID() }
        var snapshot = Snapshot<Int, UUID>()
        snapshot.appendSections([0])
        snapshot.appendItems(ids)

        #expect(ids.map(snapshot.indexOfItem) == Array(0..<200))
        #expect(throws: SnapshotError<Int, UUID>.repeatedItem(ids[150])) {
            try Snapshot(sections: [(0, ids + [ids[150]])])
        }
    }

    /// Written apart or together, and with the three characters that are an ASCII one by another number.
    @Test(arguments: [
        ("K", "\u{212A}"), (";", "\u{37E}"), ("`", "\u{1FEF}"),
        ("273.15 K and more of it", "273.15 \u{212A} and more of it"),
        ("\u{E9}", "e\u{301}"), ("\u{C5}ngstr\u{F6}m", "\u{212B}ngstro\u{308}m"), ("\u{E9}K", "e\u{301}\u{212A}"),
    ])
    func stringsThatAreEqualHaveOneHash(one: String, other: String) {
        #expect(one == other && rowHash(one) == rowHash(other))

        var snapshot = Snapshot<Int, String>()
        snapshot.appendSections([0])
        snapshot.appendItems([one, "another"])
        #expect(snapshot.contains(other))
    }

    /// Every character there is, asked of the standard library.
    @Test func noOtherCharacterIsEqualToOneOfASCII() {
        let plain = Set((0..<128).map { String(Unicode.Scalar(UInt8($0))) })
        let others = (UInt32(128)...0x10_FFFF).compactMap(Unicode.Scalar.init).filter { plain.contains(String($0)) }

        #expect(others == ["\u{37E}", "\u{1FEF}", "\u{212A}"])
        #expect(others.allSatisfy { String(StringHash.asASCII($0)) == String($0) })
    }

    /// What is at either end of a string, and how long it is, counts as much as the middle.
    @Test(arguments: [1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 36, 64, 100])
    func stringsThatDifferInOneCharacterDifferInTheirHashes(length: Int) {
        let plain = [UInt8](repeating: 97, count: length)
        var strings = [String(decoding: plain, as: UTF8.self), String(decoding: plain + [0], as: UTF8.self)]
        for place in 0..<length {
            for letter in UInt8(98)...122 {
                var bytes = plain
                bytes[place] = letter
                strings.append(String(decoding: bytes, as: UTF8.self))
            }
        }

        #expect(Set(strings.map(rowHash)).count >= strings.count - 1)
    }
}
