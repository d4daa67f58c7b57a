import Diffable
import DiffableCompatibility

// The views and names for the snippets: plain views that show nothing, and an app's typealiases. MAIN_ACTOR is set when
// the code of the module is on the main actor by default.

typealias IndexPath = ItemPath
#if MAIN_ACTOR
    typealias UITableViewDiffableDataSource<S: Hashable, I: Hashable> =
        MainTableViewDiffableDataSource<UITableView, S, I>
    typealias UICollectionViewDiffableDataSource<S: Hashable, I: Hashable> =
        MainCollectionViewDiffableDataSource<UICollectionView, S, I>
#else
    typealias UITableViewDiffableDataSource<S: Hashable, I: Hashable> = TableViewDiffableDataSource<UITableView, S, I>
    typealias UICollectionViewDiffableDataSource<S: Hashable, I: Hashable> =
        CollectionViewDiffableDataSource<UICollectionView, S, I>
#endif

final class UILabel {
    var text: String?
}

class UITableViewCell {
    let textLabel: UILabel? = UILabel()

    init() {}
}

final class UICollectionViewCell {
    let label = UILabel()
}

final class UITableView: DiffableView {
    typealias Cell = UITableViewCell
    typealias Header = UILabel
    static let automaticDimension = -1.0
    var rowHeight = automaticDimension
    var estimatedRowHeight = 44.0
    var updates = 0

    func perform<S, I>(_ update: ListUpdate<S, I>, completion: @escaping () -> Void) {
        update.commit()
        updates += 1
        completion()
    }

    func reloadData() {}

    func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
        identifier == "star" ? StarCell() : UITableViewCell()
    }
}

final class UICollectionView: DiffableView {
    typealias Cell = UICollectionViewCell
    typealias Header = UILabel
    var updates = 0

    func perform<S, I>(_ update: ListUpdate<S, I>, completion: @escaping () -> Void) {
        for stage in update.stages() { update.commit(stage) }
        updates += 1
        completion()
    }

    func reloadData() {}

    func dequeueReusableCell(withReuseIdentifier identifier: String, for indexPath: IndexPath) -> UICollectionViewCell {
        UICollectionViewCell()
    }
}
