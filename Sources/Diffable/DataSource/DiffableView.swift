/// What a list on a screen, or anything that shows rows, has to do for a ``DiffableDataSource``.
///
/// A view asks its data source for counts, cells, headers and footers, and only shows them: a terminal, a web page's bridge, a
/// recorder in a test. The data source tells it when what it would be given changes, and keeps it weakly.
///
/// A view that belongs to the main actor conforms there, `final class Screen: @MainActor DiffableView`, and so do its data
/// source and all of its closures: nothing is sent anywhere.
public protocol DiffableView: AnyObject {
    /// What it shows for an item.
    associatedtype Cell
    /// What it shows for a section besides: headers, footers.
    associatedtype Header

    /// Takes in a change. Until ``ListUpdate/commit()`` the data source answers as before, from then on as after: a view that
    /// has to let go of old rows does so first, commits, and then asks for new ones.
    ///
    /// - `update`: ``ListUpdate/isAnimated`` says whether the change may take time to be seen. It has been made either way
    ///   when this returns.
    /// - `completion`: to be called when there is nothing more to see of the change, at once or later. Letting go of
    ///   it counts as calling it.
    func perform<Section, Item>(_ update: ListUpdate<Section, Item>, completion: @escaping () -> Void)

    /// Forgets every cell and asks for all anew; what was still animating ends.
    func reloadData()
}
