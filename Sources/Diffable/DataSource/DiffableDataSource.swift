/// Keeps a view in step with snapshots: give it the next one, and the view is told what changes and nothing else.
///
/// - Threads: everything from the one queue, thread or actor that the view belongs to. The type is not `Sendable`, so
///   the compiler holds callers to it.
/// - Order: applies take effect in the order of their calls. One that is made while another is under way, from a cell
///   provider or from the view, waits its turn and takes effect before the outer one's caller goes on.
/// - Completion: each is called exactly once, in the order of the applies, also if nothing changed, if the view is
///   gone, if it forgot, or if a reload cut it short.
open class DiffableDataSource<View: DiffableView, Section: Hashable & Sendable, Item: Hashable & Sendable> {
    /// Makes, or fills in, what the view shows for an item.
    public typealias CellProvider = (View, ItemPath, Item, Section) -> View.Cell
    /// Makes what the view shows above a section, or nil for nothing.
    public typealias HeaderProvider = (View, Int, Section) -> View.Header?
    /// Makes what the view shows with a section besides its items, or nil for nothing.
    public typealias SupplementaryProvider = (View, SupplementaryKind, ItemPath) -> View.Header?

    /// The view that is kept in step, as long as somebody else holds it.
    public internal(set) weak var view: View?
    /// Makes headers. Where it is nil, or makes none, ``supplementaryProvider`` is asked.
    public var sectionHeaderProvider: HeaderProvider?
    /// Makes headers, footers and whatever else the view shows with a section.
    public var supplementaryProvider: SupplementaryProvider?
    /// How rows come and go in applies that are animated, from the next one on.
    public var defaultRowAnimation = RowAnimation.automatic
    /// Whether an item and an equal one that takes its place look the same: those that do not are reconfigured by the apply
    /// that brings them, without a mark. For identifiers that carry what is shown of them; nil asks of none.
    public var isContentEqual: ((_ old: Item, _ new: Item) -> Bool)?
    /// What happens when somebody folds or unfolds an item of an outline.
    public var sectionSnapshotHandlers = SectionSnapshotHandlers<Item>()

    @usableFromInline final let cellProvider: CellProvider
    @usableFromInline final let list = ShownList<Section, Item>()
    @usableFromInline final var waiting: [Operation] = []
    @usableFromInline final var isApplying = false
    /// Whether the view may show something that it was not told: the next apply has it read everything anew.
    @usableFromInline package final var viewMayDiffer = false
    @usableFromInline final let completions = CompletionOrder()

    /// - `view`: kept weakly. Without it, applies go on and only change what the lookups answer.
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
            /// The view shows it already.
            case silent
        }

        @usableFromInline var style: Style
        /// Makes the next state from the one that holds when the operation's turn has come.
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
    /// What the view shows, without marks. O(1).
    @inlinable
    public func snapshot() -> Snapshot<Section, Item> { list.shown.snapshot }

    /// Whether an apply is under way, so that another one waits.
    @inlinable
    public var isBusy: Bool { isApplying }

    /// What the view is to show at `path`. O(1), and what the cell provider costs.
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

    /// What the view is to show above the section at `place`, or nil for nothing.
    @inlinable
    public func header(at place: Int) -> View.Header? {
        guard let section = list.shown.snapshot.sectionIdentifier(at: place), let view else { return nil }
        return sectionHeaderProvider?(view, place, section)
            ?? supplementary(.header, at: ItemPath(section: place, item: 0))
    }

    /// What the view is to show below the section at `place`, or nil for nothing.
    @inlinable
    public func footer(at place: Int) -> View.Header? {
        supplementary(.footer, at: ItemPath(section: place, item: 0))
    }

    /// What the view is to show of this kind at `path`, or nil for nothing. The section must be there, the item need not.
    @inlinable
    public func supplementary(_ kind: SupplementaryKind, at path: ItemPath) -> View.Header? {
        guard list.shown.snapshot.sectionIdentifier(at: path.section) != nil, let view else { return nil }
        return supplementaryProvider?(view, kind, path)
    }

    @inlinable
    final func enqueue(_ operation: Operation) {
        if isApplying { return waiting.append(operation) }
        alone { perform(operation.style, operation.change, operation.completion) }
    }

    /// Calls `body` while whatever is applied waits, and carries that out then.
    @inlinable
    final func alone(_ body: () -> Void) {
        isApplying = true
        body()
        while !waiting.isEmpty {
            let next = waiting.removeFirst()
            perform(next.style, next.change, next.completion)
        }
        isApplying = false
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
            list.shown = next
            completions.enqueue(completion).finish()
        case (.reload, let view?):
            next.snapshot.removeMarks()
            let ticket = completions.enqueue(completion)
            list.shown = next
            viewMayDiffer = false
            view.reloadData()
            completions.finishAll()
            ticket.finish()  // it has been: until here nobody lets go of it
        case (.animated, let view?), (.immediate, let view?):
            let changes = next.snapshot.difference(from: list.shown.snapshot)
            let ticket = completions.enqueue(completion)
            if changes.isEmpty {
                next.snapshot.removeMarks()
                list.shown = next
                return ticket.finish()
            }
            let transition = Transition(of: list, to: next)
            let animation = style == .animated ? defaultRowAnimation : .none
            view.perform(ListUpdate(changes, animation, transition), completion: ticket.finish)
            transition.commit()
        }
    }
}
