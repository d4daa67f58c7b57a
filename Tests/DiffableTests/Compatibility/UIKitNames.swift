import Diffable
import DiffableCompatibility

// The names that code for UIKit uses: five typealiases, which an app writes for its own views, and views that show
// nothing. The snippets beside this file use these names, and are otherwise written as for a phone.

typealias IndexPath = ItemPath
typealias UITableViewDiffableDataSource<S: Hashable, I: Hashable> = TableViewDiffableDataSource<UITableView, S, I>
typealias UICollectionViewDiffableDataSource<S: Hashable, I: Hashable> =
    CollectionViewDiffableDataSource<UICollectionView, S, I>
typealias TableAdapter<S: Hashable & Sendable, I: Hashable & Sendable> = DiffableTableAdapter<UITableView, S, I>
typealias ReorderableTable<S: Hashable & Sendable, I: Hashable & Sendable> =
    BaseReorderableDiffableDataSource<UITableView, S, I>

final class UILabel {
    var text: String?
}

class UIView {
    let textLabel: UILabel? = UILabel()
}

final class UITableViewCell: UIView {}
class UICollectionReusableView: UIView {}
final class UICollectionViewCell: UICollectionReusableView {}

class RecordingView {
    private(set) var changes: [ChangeSet] = []
    private(set) var animations: [RowAnimation] = []
    private(set) var reloads = 0

    func perform<S, I>(_ update: ListUpdate<S, I>, completion: @escaping () -> Void) {
        changes.append(update.changes)
        animations.append(update.animation)
        update.commit()
        completion()
    }

    func reloadData() { reloads += 1 }
}

final class UITableView: RecordingView, DiffableView {
    typealias Cell = UITableViewCell
    typealias Header = UIView

    func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
        UITableViewCell()
    }
}

final class UICollectionView: RecordingView, DiffableView {
    typealias Cell = UICollectionViewCell
    typealias Header = UICollectionReusableView

    struct CellRegistration<Cell: UICollectionViewCell, Item> {
        let handler: (Cell, IndexPath, Item) -> Void

        init(handler: @escaping (Cell, IndexPath, Item) -> Void) {
            self.handler = handler
        }
    }

    func dequeueConfiguredReusableCell<Item>(
        using registration: CellRegistration<UICollectionViewCell, Item>, for indexPath: IndexPath, item: Item?
    ) -> UICollectionViewCell {
        let cell = UICollectionViewCell()
        if let item { registration.handler(cell, indexPath, item) }
        return cell
    }

    func dequeueReusableSupplementaryView(
        ofKind kind: String, withReuseIdentifier identifier: String, for indexPath: IndexPath
    ) -> UICollectionReusableView {
        UICollectionReusableView()
    }
}

extension DiffableDataSource where View.Cell: UIView {
    /// The texts on the screen.
    var texts: [[String?]] {
        (0..<numberOfSections).map { section in
            (0..<numberOfItems(inSection: section)).map {
                cell(at: IndexPath(row: $0, section: section)).textLabel?.text
            }
        }
    }
}
