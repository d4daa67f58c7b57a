import Diffable
import DiffableCompatibility
import Testing

// An adapter and a reorderable data source as the guides to them use both.

@Suite
struct AdapterSnippetTests {
    private let tableView = UITableView()
    private let adapter: TableAdapter<String, Int>

    init() {
        let dataSource = ReorderableTable<String, Int>.create(
            tableView: tableView, allowCrossSectionMove: false, allowReordering: true
        ) { tableView, indexPath, item, section in
            let cell = tableView.dequeueReusableCell(withIdentifier: section ?? "none", for: indexPath)
            cell.textLabel?.text = "\(section ?? "?") \(item)"
            return cell
        }
        adapter = TableAdapter(tableView: tableView, dataSource: dataSource)
        adapter.applyInitialSnapshot(sections: ["a", "b"], itemsBySection: ["a": [1, 2], "b": [3]])
    }

    @Test
    func cellsAreBuiltWithTheirSection() {
        #expect(adapter.dataSource.texts == [["a 1", "a 2"], ["b 3"]] && adapter.tableView === tableView)
    }

    @Test
    func itemsComeGoAndMoveOneAtATime() {
        adapter.append(4, to: "b")
        adapter.delete(1)
        adapter.move(2, to: "b", animatingDifferences: false)
        adapter.shuffle(section: "a")
        #expect(adapter.items(in: "a") == [] && adapter.items(in: "b") == [3, 4, 2])
    }

    @Test
    func itemsAreRefreshedOneAtATime() {
        adapter.reload(1)
        adapter.reconfigure(2, animatingDifferences: false)
        #expect(tableView.changes.map(\.reloadedItems.count) == [0, 1, 0])
        #expect(tableView.changes.last?.reconfiguredItems.count == 1)
    }

    @Test
    func heightsAreANumberOrTheViewsOwn() {
        func height(at indexPath: IndexPath) -> Double {
            adapter.heightForRow(at: indexPath) ?? UITableView.automaticDimension
        }
        let row = IndexPath(row: 1, section: 0)
        #expect(height(at: row) == -1)

        adapter.setHeightProviders(
            height: { tableView, indexPath, item, section in section == "a" ? 44 : 60 + Double(item) },
            estimated: { _, _, _, _ in 50 })
        #expect(height(at: row) == 44 && height(at: IndexPath(row: 0, section: 1)) == 63)
        #expect(adapter.estimatedHeightForRow(at: row) == 50)

        adapter.enableAutomaticDimension(estimatedRowHeight: 80)
        #expect(height(at: row) == UITableView.automaticDimension && adapter.estimatedHeightForRow(at: row) == 80)

        adapter.setHeightProviders(height: nil)
        #expect(adapter.heightForRow(at: row) == nil && adapter.estimatedHeightForRow(at: row) == nil)
    }
}
