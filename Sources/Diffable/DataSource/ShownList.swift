/// Holds the list of a data source, so that a ``Transition`` can change it without knowing the view.
@usableFromInline
final class ShownList<Section: Hashable, Item: Hashable> {
    /// A value that cannot be copied is read in place. A snapshot that is read out of an object is retained first,
    /// array by array, which takes ten times as long as a lookup.
    @frozen
    @usableFromInline
    struct Held: ~Copyable {
        @usableFromInline var shown = Shown<Section, Item>()

        @inlinable
        init() {}

        @inlinable
        @inline(__always)
        var numberOfSections: Int { shown.snapshot.numberOfSections }

        @inlinable
        @inline(__always)
        func numberOfItems(inSection place: Int) -> Int { shown.snapshot.numberOfItems(inSectionAt: place) }

        @inlinable
        @inline(__always)
        func itemIdentifier(at path: ItemPath) -> Item? { shown.snapshot.itemIdentifier(at: path) }

        @inlinable
        @inline(__always)
        func find(_ item: Item, hash: UInt32) -> Found { shown.snapshot.find(item, hash: hash) }

        @inlinable
        @inline(__always)
        func path(of location: Location) -> ItemPath { shown.snapshot.path(of: location) }

        @inlinable
        @inline(__always)
        func difference(to next: borrowing Snapshot<Section, Item>) -> ChangeSet {
            next.difference(from: shown.snapshot)
        }

        @inlinable
        @inline(__always)
        func sectionIdentifier(at place: Int) -> Section? { shown.snapshot.sectionIdentifier(at: place) }

        @inlinable
        @inline(__always)
        func indexOfSection(_ section: Section) -> Int? { shown.snapshot.indexOfSection(section) }
    }

    /// Not checked for overlapping accesses, because the check takes as long as a lookup. Every write is a swap, so that
    /// nothing is freed, and no code of a caller runs, in the middle of it.
    @exclusivity(unchecked) @usableFromInline final var storage = Held()

    @inlinable
    init() {}

    @inlinable
    @inline(__always)
    var held: Held {
        _read { yield unsafe storage }
    }

    @inlinable
    @inline(__always)
    func path(of item: Item) -> ItemPath? {
        let hash = rowHash(item)
        switch held.find(item, hash: hash) {
        case .at(let location): return held.path(of: location)
        case .nowhere: return nil
        case .unknown: return shown.snapshot.searchEverywhere(item, hash: hash).map { shown.snapshot.path(of: $0) }
        }
    }

    @inlinable
    @inline(__always)
    var shown: Shown<Section, Item> {
        get { unsafe storage.shown }
        _modify { yield unsafe &storage.shown }
    }
}
