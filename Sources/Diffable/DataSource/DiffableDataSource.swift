/// Keeps a view in step with snapshots: apply the next snapshot, and the view gets only the changes.
///
/// - Threads: use it only on the queue, thread or actor of its view. The type is not `Sendable`, so the compiler checks
///   that.
/// - Order: applies take effect in the order of their calls. An apply that is made during another one, by a cell
///   provider or by the view, waits, and takes effect before the outer call returns.
/// - Completion: each completion is called exactly once, in the order of the applies, also if nothing changed, if
///   the view is gone or forgot the completion, and if a reload ended the animation.
open class DiffableDataSource<View: DiffableView, Section: Hashable, Item: Hashable> {
    /// Makes the view's cell for an item, or fills it in.
    public typealias CellProvider = (View, ItemPath, Item, Section) -> View.Cell
    /// Makes the header that the view shows above a section, or nil for none.
    public typealias HeaderProvider = (View, Int, Section) -> View.Header?
    /// Makes another view of a section, such as a footer, or nil for none.
    public typealias SupplementaryProvider = (View, SupplementaryKind, ItemPath) -> View.Header?

    /// The view. The data source does not keep it alive.
    public internal(set) weak var view: View?
    /// Makes headers. If it is nil or returns nil, ``supplementaryProvider`` is asked.
    public var sectionHeaderProvider: HeaderProvider?
    /// Makes headers, footers and the section's other views.
    public var supplementaryProvider: SupplementaryProvider?
    /// The animation of rows that come and go in animated applies, from the next apply on.
    public var defaultRowAnimation = RowAnimation.automatic
    /// Returns true if an item and the equal item that replaces it look the same. Items that do not are reconfigured by
    /// the apply that brings them, without a mark. It is for identifiers that carry the contents that are shown. Nil
    /// compares nothing.
    public var isContentEqual: ((_ old: Item, _ new: Item) -> Bool)?
    /// The handlers for items of an outline that the user folds or unfolds.
    public var sectionSnapshotHandlers = SectionSnapshotHandlers<Item>()

    @usableFromInline final let cellProvider: CellProvider
    @usableFromInline final let list = ShownList<Section, Item>()
    /// The applies that were made during another one.
    @usableFromInline final var waiting = Queue<() -> Void>()
    @usableFromInline final var isApplying = false
    /// True when the view may show something else than the list. The next apply has it read everything again.
    @usableFromInline package final var viewMayDiffer = false
    @usableFromInline final let completions = CompletionOrder()
    /// The transition for the next change, if the last one can be used again.
    @usableFromInline final var spare: Transition<Section, Item>?
    /// The streams of ``snapshots()``.
    @usableFromInline final var watchers: SnapshotWatchers<Section, Item>?

    /// - `view`: held weakly. Once it is gone, applies only change the results of the lookups.
    public init(view: View, cellProvider: @escaping CellProvider) {
        self.view = view
        self.cellProvider = cellProvider
    }

    @usableFromInline
    struct Operation {
        @usableFromInline
        enum Style {
            case animated
            case immediate
            case reload
            /// The view already shows it.
            case silent
        }

        @usableFromInline var style: Style
        /// Makes the next state from the one that is current when the operation's turn comes.
        @usableFromInline var change: (inout Shown<Section, Item>) -> Void
        @usableFromInline var completion: (() -> Void)?

        @inlinable
        init(
            style: Style, change: @escaping (inout Shown<Section, Item>) -> Void, completion: (() -> Void)?
        ) {
            self.style = style
            self.change = change
            self.completion = completion
        }
    }
}

extension DiffableDataSource {
    /// Returns the list that the view shows, without marks. O(1).
    @inlinable
    public func snapshot() -> Snapshot<Section, Item> { list.shown.snapshot }

    /// True during an apply, when another apply has to wait.
    @inlinable
    public var isBusy: Bool { isApplying }

    /// Returns the view's cell at `path`. O(1), plus the work of the cell provider.
    ///
    /// - Errors: stops at a path that is not in the list.
    @inlinable
    public func cell(at path: ItemPath, file: StaticString = #fileID, line: UInt = #line) -> View.Cell {
        let caller = CallSite(file, line)
        guard let item = list.shown.snapshot.itemIdentifier(at: path) else {
            misuse("No item at \(path) to make a cell for", caller)
        }
        guard let view else { misuse("No view left to make a cell for, at \(path)", caller) }
        return cellProvider(view, path, item, list.shown.snapshot.sectionIdentifier(at: path.section)!)
    }

    /// Returns the header of the section at `place`, or nil if it has none.
    @inlinable
    public func header(at place: Int) -> View.Header? {
        guard let section = list.shown.snapshot.sectionIdentifier(at: place), let view else { return nil }
        return sectionHeaderProvider?(view, place, section)
            ?? supplementary(.header, at: ItemPath(section: place, item: 0))
    }

    /// Returns the footer of the section at `place`, or nil if it has none.
    @inlinable
    public func footer(at place: Int) -> View.Header? {
        supplementary(.footer, at: ItemPath(section: place, item: 0))
    }

    /// Returns the view of this kind at `path`, or nil if there is none. The section must exist, the item need not.
    @inlinable
    public func supplementary(_ kind: SupplementaryKind, at path: ItemPath) -> View.Header? {
        guard list.shown.snapshot.sectionIdentifier(at: path.section) != nil, let view else { return nil }
        return supplementaryProvider?(view, kind, path)
    }

    @inlinable
    final func enqueue(_ operation: Operation) {
        if isApplying {
            // Kept alive only until the apply that is in progress ends.
            return waiting.append { self.perform(operation.style, operation.change, operation.completion) }
        }
        alone { perform(operation.style, operation.change, operation.completion) }
    }

    /// Calls `body` while all applies wait, then performs those.
    @inlinable
    final func alone(_ body: () -> Void) {
        isApplying = true
        body()
        performWaiting()
    }

    /// Performs the applies that were made during another one, which ends with this.
    @inlinable
    final func performWaiting() {
        while let next = waiting.popFirst() { next() }
        isApplying = false
        if let watchers { watchers.notify(list.shown.snapshot) }
    }

    @inlinable
    final func perform(
        _ style: Operation.Style, _ change: (inout Shown<Section, Item>) -> Void, _ completion: (() -> Void)?
    ) {
        var next = list.shown
        change(&next)
        show(next, style, completion)
    }

    @inlinable
    final func show(
        _ next: consuming Shown<Section, Item>, _ style: Operation.Style, _ completion: (() -> Void)?
    ) {
        if let isContentEqual {
            next.snapshot.reconfigureItems(changedSince: list.shown.snapshot, isContentEqual: isContentEqual)
        }
        switch (viewMayDiffer && style != .silent ? .reload : style, view) {
        case (.silent, _), (_, nil):
            next.snapshot.removeMarks()
            swap(&list.shown, &next)
            completions.enqueue(completion)?.finish()
        case (.reload, let view?):
            next.snapshot.removeMarks()
            let ticket = completions.enqueue(completion)
            swap(&list.shown, &next)
            viewMayDiffer = false
            view.reloadData()
            completions.finishAll()
            ticket?.finish()  // it is done already; the ticket must be kept until here
        case (.animated, let view?), (.immediate, let view?):
            let changes = list.held.difference(to: next.snapshot)
            let ticket = completions.enqueue(completion)
            if changes.isEmpty {
                next.snapshot.removeMarks()
                swap(&list.shown, &next)
                ticket?.finish()
            } else {
                perform(changes, on: view, to: next, isAnimated: style == .animated, ticket)
            }
        }
    }

    @inlinable
    final func perform(
        _ changes: consuming ChangeSet, on view: View, to next: consuming Shown<Section, Item>, isAnimated: Bool,
        _ ticket: CompletionOrder.Ticket?
    ) {
        var transition = spare ?? Transition(of: list)
        spare = nil
        transition.begin(next)
        let animation = isAnimated ? defaultRowAnimation : .none
        view.perform(ListUpdate(changes, animation, transition), completion: ticket?.finish ?? {})
        transition.commit()
        if isKnownUniquelyReferenced(&transition) {
            transition.reset()
            spare = transition
        }
    }
}
