import Diffable

/// One row comes, goes or moves in a list that a view shows: a copy of the shown list is changed and applied.
enum Applies {
    static func run<ID: Identifier>(_ n: Int, _ type: ID.Type) {
        let ids = (0..<n).map(ID.make)
        print("one change to a list that is shown, n = \(n), \(type)")
        for sections in [1, 2] {
            let name = sections == 1 ? "" : ", history and live"
            append(ids, sections, CountingView(), "append 1, apply\(name)")
        }
        append(ids, 1, CountingView(taking: .stages), "append 1, apply in stages")
        appendLine(ids)
        edit("prepend 1, apply", ids) { snapshot, new in
            snapshot.insertItems([new], beforeItem: snapshot.itemIdentifier(at: ItemPath(section: 0, item: 0))!)
        }
        edit("insert 1 in the middle, apply", ids) { $0.insertItems([$1], afterItem: ids[n / 2]) }
        var far = false
        edit("move 1, apply", ids) { snapshot, _ in
            far.toggle()
            snapshot.moveItem(ids[n / 4], afterItem: far ? ids[n * 3 / 4] : ids[n / 4 - 1])
        }
    }

    private static func append<ID: Identifier>(_ ids: [ID], _ sections: Int, _ view: CountingView, _ name: String) {
        let source = DiffableDataSource<CountingView, Int, ID>(view: view) { _, _, _, section in section }
        var shown = Snapshot<Int, ID>()
        shown.appendSections(Array(0..<sections))
        shown.appendItems(ids, toSection: 0)
        source.apply(shown)
        time(name, view, source) { $0.appendItems([$1], toSection: sections - 1) }
    }

    /// The view of the guide, which keeps a cell for each row.
    private static func appendLine<ID: Identifier>(_ ids: [ID]) {
        let view = LinesView<ID>()
        let source = DiffableDataSource<LinesView<ID>, Int, ID>(view: view) { _, _, _, section in section }
        view.source = source
        source.update {
            $0.appendSections([0])
            $0.appendItems(ids)
        }
        let new = (1...5_000).map { ID.make(-$0) }
        var next = 0
        let body = {
            source.update(animatingDifferences: true) { $0.appendItems([new[next % new.count]]) }
            next += 1
            return view.lines[0].count
        }
        Report.line("append 1, apply, view of lines", measure([body], rounds: 4_000))
    }

    private static func edit<ID: Identifier>(
        _ name: String, _ ids: [ID], _ change: @escaping (inout Snapshot<Int, ID>, ID) -> Void
    ) {
        let view = CountingView()
        let source = DiffableDataSource<CountingView, Int, ID>(view: view) { _, _, _, section in section }
        var shown = Snapshot<Int, ID>()
        shown.appendSections([0])
        shown.appendItems(ids)
        source.apply(shown)
        time(name, view, source, change)
    }

    private static func time<ID: Identifier>(
        _ name: String, _ view: CountingView, _ source: DiffableDataSource<CountingView, Int, ID>,
        _ change: @escaping (inout Snapshot<Int, ID>, ID) -> Void
    ) {
        let new = (1...5_000).map { ID.make(-$0) }
        var next = 0
        let body = {
            var snapshot = source.snapshot()
            change(&snapshot, new[next % new.count])
            next += 1
            source.apply(snapshot)
            return view.changes
        }
        Report.line(name, measure([body], rounds: 4_000))
    }
}
