import Diffable
import DiffableCompatibility
import Testing

// Data sources as one uses them with UIKit.

private enum Section: CaseIterable {
    case main
    case archive
}

private struct Recipe: Hashable {
    let id: Int
    var title: String
}

private let recipes = [Recipe(id: 1, title: "Soup"), Recipe(id: 2, title: "Bread"), Recipe(id: 3, title: "Salad")]

/// A screen with a table.
private final class RecipesViewController {
    typealias DataSource = UITableViewDiffableDataSource<Section, Recipe>
    typealias Snapshot = NSDiffableDataSourceSnapshot<Section, Recipe>

    let tableView = UITableView()
    lazy var dataSource = makeDataSource()
    private(set) var shown: Recipe?

    private func makeDataSource() -> DataSource {
        let dataSource = DataSource(tableView: tableView) { tableView, indexPath, recipe in
            let cell = tableView.dequeueReusableCell(withIdentifier: "recipe", for: indexPath)
            cell.textLabel?.text = recipe.title
            return cell
        }
        dataSource.defaultRowAnimation = .fade
        return dataSource
    }

    func applySnapshot(_ recipes: [Recipe], animatingDifferences: Bool = true) {
        var snapshot = Snapshot()
        snapshot.appendSections([.main])
        snapshot.appendItems(recipes)
        dataSource.apply(snapshot, animatingDifferences: animatingDifferences)
    }

    func search(_ text: String) {
        applySnapshot(text.isEmpty ? recipes : recipes.filter { $0.title.lowercased().contains(text) })
    }

    func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
        guard let recipe = dataSource.itemIdentifier(for: indexPath) else { return }
        shown = recipe
    }

    func remove(at indexPath: IndexPath) {
        guard let recipe = dataSource.itemIdentifier(for: indexPath) else { return }
        var snapshot = dataSource.snapshot()
        snapshot.deleteItems([recipe])
        dataSource.apply(snapshot, animatingDifferences: true)
    }
}

/// A table whose rows are dragged by overriding what UIKit asks.
private final class DraggableDataSource: UITableViewDiffableDataSource<Section, Recipe> {
    override func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool {
        indexPath.section == 0
    }

    override func tableView(
        _ tableView: UITableView, moveRowAt sourceIndexPath: IndexPath, to destinationIndexPath: IndexPath
    ) {
        guard let moved = itemIdentifier(for: sourceIndexPath) else { return }
        var items = snapshot().itemIdentifiers(inSection: .main)
        items.remove(at: sourceIndexPath.row)
        items.insert(moved, at: destinationIndexPath.row)
        var snapshot = snapshot()
        snapshot.deleteItems(snapshot.itemIdentifiers(inSection: .main))
        snapshot.appendItems(items, toSection: .main)
        apply(snapshot, animatingDifferences: false)
    }
}

private typealias TitlelessDataSource = UITableViewDiffableDataSource<Int, Int>

/// A data source with an initialiser of its own.
private final class TitlesDataSource: UITableViewDiffableDataSource<Section, Recipe> {
    private let emphasis: String

    init(tableView: UITableView, emphasis: String) {
        self.emphasis = emphasis
        super.init(tableView: tableView) { tableView, indexPath, recipe in
            let cell = tableView.dequeueReusableCell(withIdentifier: "recipe", for: indexPath)
            cell.textLabel?.text = recipe.title + emphasis
            return cell
        }
    }

    func show(_ recipes: [Recipe]) {
        var snapshot = NSDiffableDataSourceSnapshot<Section, Recipe>()
        snapshot.appendSections([.main])
        snapshot.appendItems(recipes)
        apply(snapshot, animatingDifferences: emphasis.isEmpty)
    }
}

@Suite
struct DataSourceSnippetTests {
    private let screen = RecipesViewController()

    @Test
    func aScreenShowsItsFirstListWithoutAnimation() {
        screen.applySnapshot(recipes, animatingDifferences: false)
        #expect(screen.dataSource.texts == [["Soup", "Bread", "Salad"]])
        #expect(screen.tableView.animations == [.none])
    }

    @Test
    func aSearchFadesRowsInAndOut() {
        screen.applySnapshot(recipes)
        screen.search("br")
        #expect(screen.dataSource.texts == [["Bread"]] && screen.tableView.animations == [.fade, .fade])
        screen.search("")
        #expect(screen.tableView.changes.last?.insertedItems.count == 2)
    }

    @Test
    func aRowIsChosen() {
        screen.applySnapshot(recipes)
        screen.tableView(screen.tableView, didSelectRowAt: IndexPath(row: 1, section: 0))
        #expect(screen.shown == recipes[1])
    }

    @Test
    func aRowIsSwipedAway() {
        screen.applySnapshot(recipes)
        screen.remove(at: IndexPath(row: 0, section: 0))
        #expect(screen.dataSource.texts == [["Bread", "Salad"]])
    }

    @Test
    func aRowIsFoundAgain() {
        screen.applySnapshot(recipes)
        if let indexPath = screen.dataSource.indexPath(for: recipes[2]) { #expect(indexPath.row == 2) }
        #expect(screen.dataSource.sectionIdentifier(for: 0) == .main && screen.dataSource.index(for: .archive) == nil)
    }

    @Test
    func somethingHappensWhenTheChangeHasBeenSeen() {
        var isDone = false
        var snapshot = screen.dataSource.snapshot()
        snapshot.appendSections(Section.allCases)
        screen.dataSource.apply(snapshot, animatingDifferences: true) { isDone = true }
        #expect(isDone)
    }

    @Test
    func aChangeIsAwaited() async {
        var snapshot = NSDiffableDataSourceSnapshot<Section, Recipe>()
        snapshot.appendSections([.main])
        await screen.dataSource.apply(snapshot, animatingDifferences: true)
        await screen.dataSource.applySnapshotUsingReloadData(snapshot)
        #expect(screen.tableView.reloads == 1 && screen.dataSource.numberOfSections == 1)
    }

    @Test
    func anotherListIsShownByReloading() {
        var snapshot = NSDiffableDataSourceSnapshot<Section, Recipe>()
        snapshot.appendSections([.main])
        snapshot.appendItems(recipes)
        screen.dataSource.applySnapshotUsingReloadData(snapshot)
        #expect(screen.tableView.reloads == 1 && screen.tableView.changes.isEmpty)
    }

    @Test
    func aRowIsDraggedBySubclassing() throws {
        let tableView = UITableView()
        let dataSource = DraggableDataSource(tableView: tableView) { tableView, indexPath, recipe in
            let cell = tableView.dequeueReusableCell(withIdentifier: "recipe", for: indexPath)
            cell.textLabel?.text = recipe.title
            return cell
        }
        var snapshot = NSDiffableDataSourceSnapshot<Section, Recipe>()
        snapshot.appendSections([.main])
        snapshot.appendItems(recipes)
        dataSource.apply(snapshot, animatingDifferences: false)

        #expect(dataSource.canMoveRow(at: IndexPath(row: 0, section: 0)))
        try dataSource.moveRow(at: IndexPath(row: 2, section: 0), to: IndexPath(row: 0, section: 0))

        #expect(dataSource.texts == [["Salad", "Soup", "Bread"]] && tableView.reloads == 1)
    }

    @Test
    func aSubclassHasAnInitialiserOfItsOwn() {
        let tableView = UITableView()
        let dataSource = TitlesDataSource(tableView: tableView, emphasis: "!")
        dataSource.show(recipes)
        #expect(dataSource.texts == [["Soup!", "Bread!", "Salad!"]] && tableView.animations == [.none])
    }

    @Test
    func aCellThatIsNotMadeStopsAtTheLineThatMadeTheDataSource() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let tableView = UITableView()
            let dataSource = TitlelessDataSource(tableView: tableView, line: 80) { _, _, _ in nil }
            var snapshot = NSDiffableDataSourceSnapshot<Int, Int>()
            snapshot.appendSections([0])
            snapshot.appendItems([7])
            dataSource.apply(snapshot)
            _ = dataSource.cell(at: IndexPath(row: 0, section: 0))
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("DataSourceSnippetTests.swift:80: Fatal error: The cell provider made no cell for item"))
    }

    @Test
    func aSubclassThatOverridesNothingMovesRowsAndPutsThemBack() {
        screen.dataSource.allowReordering = true
        screen.applySnapshot(recipes)
        let (top, bottom, outside) = (
            IndexPath(row: 0, section: 0), IndexPath(row: 2, section: 0), IndexPath(row: 3, section: 0)
        )
        #expect(throws: Never.self) { try screen.dataSource.moveRow(at: top, to: bottom) }
        #expect(screen.dataSource.texts == [["Bread", "Salad", "Soup"]] && screen.tableView.reloads == 0)
        #expect(throws: ReorderError.noPlace(at: outside)) { try screen.dataSource.moveRow(at: top, to: outside) }
        #expect(screen.tableView.reloads == 1)
    }
}
