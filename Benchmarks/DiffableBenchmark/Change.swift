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
