/// One list before and after, in sections; numbers become identifiers later.
struct Change: Sendable {
    struct Section: Sendable {
        var id: Int
        var items: [Int]
    }

    var old: [Section]
    var new: [Section]

    init(old: [Section], new: [Section]) {
        self.old = old
        self.new = new
    }

    init(old: [Int], new: [Int]) {
        self.init(old: [Section(id: 0, items: old)], new: [Section(id: 0, items: new)])
    }
}

/// A section of a change, with identifiers for numbers.
struct NamedSection<ID: Identifier>: Sendable {
    var id: ID
    var items: [ID]

    init(_ section: Change.Section) {
        id = ID.make(section.id)
        items = section.items.map(ID.make)
    }
}

/// A named kind of change, made anew from each seed.
struct Scenario: Sendable {
    var name: String
    var count: Int
    var make: @Sendable (inout SplitMix64) -> Change
}

/// A small, fast, seeded generator.
///
/// - Source: G. L. Steele, D. Lea, C. H. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
