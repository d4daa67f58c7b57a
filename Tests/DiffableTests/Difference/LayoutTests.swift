import Diffable
import TestSupport
import Testing

/// Rows of any size and alignment are read by the same code.
@Suite
struct LayoutTests {
    @Test(arguments: Layout.allCases, UInt64(0)..<8)
    func replayingGivesTheTargetForIdentifiersOfEachLayout(layout: Layout, seed: UInt64) throws {
        try replays(seed, layout.identifier)
    }

    private func replays<ID: Numbered>(_ seed: UInt64, _: ID.Type) throws {
        var random = SplitMix64(seed: seed)
        let old = Self.list((0..<200).map { ID($0) })
        var numbers = Array(Array(0..<200).shuffled(using: &random).prefix(Int.random(in: 0..<200, using: &random)))
        numbers.insert(contentsOf: 200..<250, at: numbers.count / 2)
        let built = Self.list(numbers.map { ID($0) })
        var changed = old
        changed.deleteItems([ID(17), ID(3)])
        changed.insertItems([ID(250), ID(199)], afterItem: ID(100))
        changed.moveItem(ID(50), beforeItem: ID(9))

        for new in [built, changed] {
            let target = BatchSimulator(new)
            let result = try BatchSimulator(old).replaying(new.difference(from: old), towards: target)

            #expect(result.sections.map(\.items) == target.sections.map(\.items))
            #expect(new.itemIdentifiers.allSatisfy { new.itemIdentifier(at: new.path(of: $0)!) == $0 })
            #expect(new == Self.list(new.itemIdentifiers) && new != old)
        }
    }

    private static func list<ID: Hashable>(_ items: [ID]) -> Snapshot<Int, ID> {
        var list = Snapshot<Int, ID>()
        list.appendSections([0])
        list.appendItems(items)
        return list
    }
}

/// The layouts of identifiers that a list may have.
enum Layout: CaseIterable, Sendable {
    case byte
    case aligned
    case large
    case object
    case text
    case optional

    fileprivate var identifier: any Numbered.Type {
        switch self {
        case .byte: Byte.self
        case .aligned: Aligned.self
        case .large: Large.self
        case .object: Object.self
        case .text: Text.self
        case .optional: Payload.self
        }
    }
}

private struct Byte: Numbered {
    var byte: UInt8
    init(_ number: Int) { byte = UInt8(number) }
    var number: Int { Int(byte) }
}

/// Its rows begin later in a page than those of others.
private struct Aligned: Numbered {
    var vector: SIMD64<UInt8>
    init(_ number: Int) { vector = SIMD64(repeating: UInt8(number)) }
    var number: Int { Int(vector[63]) }
}

private struct Large: Numbered {
    var values: (Int, Int, Int, String)
    init(_ number: Int) { values = (0, number, -number, "number \(number), which is not short") }
    var number: Int { values.1 }
    static func == (a: Large, b: Large) -> Bool { a.values == b.values }
    func hash(into hasher: inout Hasher) { hasher.combine(values.3) }
}

private final class Object: Numbered {
    let number: Int
    init(_ number: Int) { self.number = number }
    static func == (a: Object, b: Object) -> Bool { a.number == b.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

private enum Payload: Numbered {
    case even(Int?)
    case odd(String)
    init(_ number: Int) { self = number % 2 == 0 ? .even(number) : .odd(String(number)) }
    var number: Int {
        switch self {
        case .even(let number): number ?? 0
        case .odd(let text): Int(text) ?? 0
        }
    }
}

private struct Text: Numbered {
    var text: String
    init(_ number: Int) { text = number.description }
    var number: Int { Int(text) ?? 0 }
}
