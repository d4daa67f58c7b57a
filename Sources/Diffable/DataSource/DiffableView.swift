/// The requirements of a view, or of anything that shows rows, for a ``DiffableDataSource``.
///
/// A view asks its data source for counts, cells, headers and footers, and only shows them. It can be a terminal, a
/// bridge to a web page, or a recorder in a test. The data source notifies it when the answers change, and holds it
/// weakly.
///
/// A view of the main actor conforms there: `final class Screen: @MainActor DiffableView`. Then its data source and all
/// of its closures are on the main actor, too, and nothing is sent between actors.
public protocol DiffableView: AnyObject {
    /// The view's representation of an item.
    associatedtype Cell
    /// The view's representation of a header, footer or other part of a section.
    associatedtype Header

    /// Performs a change. Before ``ListUpdate/commit()`` the data source answers with the old list, afterwards with the
    /// new one. A view that must remove old rows does so first, commits, and then asks for new rows.
    ///
    /// - `update`: ``ListUpdate/isAnimated`` is true if the change may be animated. When this method returns, the
    ///   change has taken effect in any case.
    /// - `completion`: call it when the change is no longer animating, at once or later. Releasing it counts as a call.
    func perform<Section, Item>(_ update: ListUpdate<Section, Item>, completion: @escaping () -> Void)

    /// Discards every cell and asks for all of them again. Animations end.
    func reloadData()
}
