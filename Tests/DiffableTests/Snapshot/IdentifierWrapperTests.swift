import FoundationEssentials
import TestSupport
import Testing

@testable import Diffable

/// Identifiers that are others under a name of their own, in each way in which one may be declared.
@Suite
struct IdentifierWrapperTests {
    @Test(arguments: [Int.min, -1, 0, 1, 1 << 32, .max])
    func aWrapperHasTheHashOfWhatItWraps(number: Int) {
        let id = UUID(number: number)
        let text = "message \(number)"

        #expect(rowHash(Direct(wrappedIdentifier: id)) == rowHash(id))
        #expect(rowHash(Extended(raw: Int64(number))) == rowHash(Int64(number)))
        #expect(rowHash(Raw(rawValue: text)) == rowHash(text))
        #expect(rowHash(RawDirect(rawValue: text)) == rowHash(text))
        #expect(rowHash(Tagged<Int, UUID>(rawValue: id)) == rowHash(id))
        #expect(rowHash(Twice(wrappedIdentifier: Direct(wrappedIdentifier: id))) == rowHash(id))
        #expect(rowHash(Choice.message(number)) == rowHash(number))
    }

    /// In code that is not compiled for the type, as that of another module may be.
    @Test
    func allCodeAgreesOnTheHashOfAWrapper() {
        func hash(_ identifier: any Hashable) -> UInt32 { rowHash(identifier) }
        let id = UUID(number: 7)

        #expect(hash(Direct(wrappedIdentifier: id)) == rowHash(id))
        #expect(hash(Extended(raw: 7)) == rowHash(Int64(7)))
        #expect(hash(Int64(7)) == rowHash(Int64(7)))
    }

    @Test(arguments: [0, 3, 6, 12, 20, 32, 40, 48])
    func numbersOfEveryWidthAreSpreadAsRandomOnesWouldBe(shift: Int) {
        func expectSpread(_ hashes: [UInt32]) {
            #expect(Set(hashes).count > 9_990)
            #expect(Set(hashes.map { $0 & 16_383 }).count > 7_000)
            #expect(Set(hashes.map { $0 >> 18 }).count > 7_000)
        }
        expectSpread((0..<10_000).map { rowHash(Int64($0 << shift)) })
        expectSpread((0..<10_000).map { rowHash(UInt64($0 << shift)) })
        expectSpread((0..<10_000).map { rowHash(UInt($0 << shift)) })
        if shift > 18 { return }
        expectSpread((0..<10_000).map { rowHash(Int32(truncatingIfNeeded: -$0 << shift)) })
        expectSpread((0..<10_000).map { rowHash(UInt32(truncatingIfNeeded: $0 << shift)) })
    }

    /// A set grows by rehashing with other seeds.
    @Test
    func aSetOfWrappersIsASet() {
        let names = (0..<5_000).map { Raw(rawValue: "room \($0)") }
        let seeds = (0..<64).map { Direct(wrappedIdentifier: UUID(number: 7))._rawHashValue(seed: $0) }

        #expect(Set(names).count == 5_000 && Set(names + names).isSuperset(of: names))
        #expect(Set(names.map(\.hashValue)).count == 5_000)
        #expect(Set(seeds).count == 64)
    }

    /// Changes of a list of wrappers are those of the same list without them.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func aListOfWrappersChangesAsThatOfWhatTheyWrap(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let old = (0..<Int.random(in: 0..<300, using: &random)).map { Int64($0) }.shuffled(using: &random)
        let new = (old.dropFirst(Int.random(in: 0...9, using: &random)) + (1_000..<1_050)).shuffled(using: &random)

        let bare = try Snapshot(sections: [(0, new)]).difference(from: Snapshot(sections: [(0, old)]))
        let wrapped = try Snapshot(sections: [(0, new.map(Extended.init))])
            .difference(from: Snapshot(sections: [(0, old.map(Extended.init))]))

        #expect(bare == wrapped)
        #expect(try Snapshot(sections: [(0, new.map(Extended.init))]).contains(Extended(raw: 1_049)))
    }
}

private struct Direct: IdentifierWrapper {
    let wrappedIdentifier: UUID
}

private struct Extended: Hashable, Sendable { let raw: Int64 }
extension Extended: IdentifierWrapper { var wrappedIdentifier: Int64 { raw } }

private struct Raw: RawRepresentable, Hashable { let rawValue: String }
extension Raw: IdentifierWrapper {}

private struct RawDirect: RawRepresentable, IdentifierWrapper { let rawValue: String }

private struct Tagged<Tag, RawValue: Hashable>: RawRepresentable, Hashable { let rawValue: RawValue }
extension Tagged: IdentifierWrapper {}

private struct Twice: IdentifierWrapper { let wrappedIdentifier: Direct }

private enum Choice: IdentifierWrapper {
    case message(Int)
    case gap(Int)

    var wrappedIdentifier: Int {
        switch self {
        case .message(let number): number
        case .gap(let number): ~number
        }
    }
}

extension UUID {
    fileprivate init(number: Int) {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        let b = bytes
        self.init(uuid: (b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], 8, 9, 10, 11, 12, 13, 14, 15))
    }
}
