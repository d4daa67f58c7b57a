/// What a list on a screen, or anything that shows rows, has to do for a ``DiffableDataSource``.
///
/// A view asks its data source for counts, cells and headers, and only shows them: a terminal, a web page's bridge, a
/// recorder in a test. The data source tells it when what it would be given changes, and keeps it weakly.
public protocol DiffableView: AnyObject {
    associatedtype Cell
    associatedtype Header

    /// Takes in a change. Before `commit` the data source answers as before, after it as after: a view that has to let go
    /// of old rows does so first, calls `commit` once, and then asks for new ones.
    ///
    /// - `animated`: whether the change may take time to be seen. It has been made either way when this returns.
    /// - `completion`: to be called when there is nothing more to see of the change, at once or later. Letting go of
    ///   it counts as calling it.
    func perform(_ changes: ChangeSet, animated: Bool, commit: () -> Void, completion: @escaping () -> Void)

    /// Forgets every cell and asks for all anew; what was still animating ends.
    func reloadData()
}
