import Diffable

/// An outline of 10,000 items in one section beside a flat section, and a view's requests to both.
enum Outlines {
    static func run() {
        let n = 10_000
        let view = CountingView()
        let source = DiffableDataSource<CountingView, Int, Int>(view: view) { _, _, _, section in section }
        print("outlines, n = \(n), Int")
        Report.line("append all", measure([{ made(n).items.count }]))
        let outline = made(n)
        source.apply(outline, to: 0)
        source.update {
            $0.appendSections([1])
            $0.appendItems([-1])
        }
        var next = 1
        let beside = {
            next += 1
            source.update { $0.appendItems([-next], toSection: 1) }
            return view.changes
        }
        Report.line("append 1 beside it, apply", measure([beside], rounds: 4_000))
        var longer = outline
        let growing = {
            next += 1
            longer.append([-next])
            source.apply(longer, to: 0)
            return view.changes
        }
        Report.line("append 1 to it, apply", measure([growing], rounds: 4_000))
        let again = {
            source.apply(outline, to: 0)
            return view.changes
        }
        Report.line("apply an equal one", measure([again]))
        let other = made(n)
        let separate = {
            source.apply(other, to: 0)
            source.apply(outline, to: 0)
            return view.changes
        }
        Report.line("apply two that were made separately", measure([separate]))
        lookups(source, n)
    }

    /// 100 parents, each unfolded with its share of the rest.
    private static func made(_ n: Int) -> SectionSnapshot<Int> {
        var outline = SectionSnapshot<Int>()
        outline.append(Array(0..<100))
        for parent in 0..<100 { outline.append(Array(stride(from: parent + 100, to: n, by: 100)), to: parent) }
        outline.expand(Array(0..<100))
        return outline
    }

    private static func lookups(_ source: DiffableDataSource<CountingView, Int, Int>, _ n: Int) {
        let snapshot = source.snapshot()
        let paths = (0..<1_000).map { ItemPath(section: 0, item: $0 * 7 % n) }
        let items = paths.map { snapshot.itemIdentifier(at: $0)! }
        Report.line("1,000 items at paths", measure([{ paths.reduce(0) { $0 &+ source.itemIdentifier(for: $1)! } }]))
        Report.line("    of the snapshot", measure([{ paths.reduce(0) { $0 &+ snapshot.itemIdentifier(at: $1)! } }]))
        Report.line("1,000 paths of items", measure([{ items.reduce(0) { $0 &+ source.indexPath(for: $1)!.item } }]))
        Report.line("    of the snapshot", measure([{ items.reduce(0) { $0 &+ snapshot.path(of: $1)!.item } }]))
        Report.line(
            "1,000 counts", measure([{ paths.reduce(0) { $0 &+ source.numberOfItems(inSection: $1.section) } }]))
        Report.line(
            "    of the snapshot",
            measure([{ paths.reduce(0) { $0 &+ snapshot.numberOfItems(inSectionAt: $1.section) } }]))
    }
}
