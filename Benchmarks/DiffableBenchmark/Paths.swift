import Diffable

/// Operations that must not depend on the length of the list, each on a long one.
enum Paths {
    static func run() {
        print("paths, n = 100000, Int")
        Report.line("append 1 to a copy of the rows", append(100_000))
        Report.line("append 1, 10,000 rows", append(10_000))
        drag()
        growOutline()
        growBesideFolded()
        differInManySections()
        for count in [1_000, 10_000] { queue(count) }
    }

    /// The changes of one appended row, applied to an array of the rows.
    private static func append(_ n: Int) -> Timing {
        let old = list(n, sections: 1)
        var new = old
        new.appendItems([-1])
        let changes = new.difference(from: old)
        var rows = [Array(0..<n)]
        return measure([
            {
                changes.apply(to: &rows) { _ in -1 }
                rows[0].removeLast()
                return rows[0].count
            }
        ])
    }

    private static func drag() {
        let view = CountingView()
        let source = BaseReorderableDiffableDataSource<CountingView, Int, Int>(view: view) { _, _, item, _ in item }
        source.apply(list(100_000, sections: 2))
        var forth = false
        let body = {
            forth.toggle()
            let (low, high) = (ItemPath(section: 0, item: 10_000), ItemPath(section: 0, item: 40_000))
            try? source.moveRow(at: forth ? low : high, to: forth ? high : low)
            return view.changes
        }
        Report.line("moveRow", measure([body], rounds: 4_000))
    }

    /// A row comes into a section with an outline of 10,000 unfolded items, by a snapshot of rows.
    private static func growOutline() {
        let view = CountingView()
        let source = DiffableDataSource<CountingView, Int, Int>(view: view) { _, _, item, _ in item }
        var outline = SectionSnapshot<Int>()
        outline.append(Array(0..<100))
        for parent in 0..<100 { outline.append(Array(stride(from: parent + 100, to: 10_000, by: 100)), to: parent) }
        outline.expand(Array(0..<100))
        source.apply(outline, to: 0)
        var next = 0
        let body = {
            next -= 1
            source.update { $0.insertItems([next], beforeItem: 4_242) }
            return view.changes
        }
        Report.line("add 1 to an outline of 10,000", measure([body], rounds: 4_000))
    }

    private static func growBesideFolded() {
        let view = CountingView()
        let source = DiffableDataSource<CountingView, Int, Int>(view: view) { _, _, item, _ in item }
        var outline = SectionSnapshot<Int>()
        outline.append([0])
        outline.append(Array(1..<100_000), to: 0)
        source.apply(outline, to: 0)
        var next = 0
        let body = {
            next -= 1
            source.update { $0.appendItems([next]) }
            return view.changes
        }
        Report.line("add 1 beside 100,000 folded ones", measure([body], rounds: 4_000))
        let again = {
            next -= 1
            outline.append([next])
            source.apply(outline, to: 0)
            return view.changes
        }
        Report.line("    by an outline", measure([again], rounds: 4_000))
    }

    private static func differInManySections() {
        let old = list(100_000, sections: 10_000)
        var new = old
        new.appendItems([-1], toSection: 5_000)
        Report.line("difference, 10,000 sections", measure([{ new.difference(from: old).insertedItems.count }]))
    }

    /// Applies with completions that are made during another one, for each.
    private static func queue(_ count: Int) {
        let view = CountingView()
        let source = DiffableDataSource<CountingView, Int, Int>(view: view) { _, _, item, _ in item }
        source.apply(list(1, sections: 1))
        var next = 0
        var done = 0
        let body = {
            source.update { outer in
                next += 1
                outer.appendItems([next])
                for _ in 0..<count { source.update(completion: { done += 1 }) { _ in } }
            }
            return done
        }
        let timing = measure([body], rounds: 200)
        let each = Timing(minimum: timing.minimum / Double(count), median: timing.median / Double(count))
        Report.line("each of \(count) queued applies", each)
    }

    private static func list(_ n: Int, sections: Int) -> Snapshot<Int, Int> {
        var snapshot = Snapshot<Int, Int>()
        snapshot.appendSections(Array(0..<sections))
        let size = n / sections
        for section in 0..<sections {
            snapshot.appendItems(Array(section * size..<(section + 1) * size), toSection: section)
        }
        return snapshot
    }
}
