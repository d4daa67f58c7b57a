import Diffable

/// A snapshot made from bare identifiers, beside the cheapest way to find a repeated one: a set of them.
enum Building {
    static func run<ID: Identifier>(_ n: Int, _ type: ID.Type) {
        let ids = (0..<n).map(ID.make)
        print("building, n = \(n), \(type)")
        let set = measure([{ Set(ids).count }])
        Report.line("Set", set, 1)
        let snapshot = measure([{ Contenders.snapshot([NamedSection(id: ids[0], items: ids)]).numberOfItems }])
        Report.line("Snapshot", snapshot, set.minimum / snapshot.minimum)
    }
}
