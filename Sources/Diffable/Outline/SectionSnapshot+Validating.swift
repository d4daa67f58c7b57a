extension SectionSnapshot where Item: Sendable {
    /// The same as ``append(_:to:file:line:)``, for items that may exist already and a parent that may be unknown.
    public mutating func append(validating items: [Item], to parent: Item? = nil) throws(SnapshotError<Never, Item>) {
        if let parent { try check(parent) }
        try checkNew(items)
        append(items, to: parent)
    }

    /// The same as inserting without `validating:`, for items that may exist already and a sibling that may be unknown.
    public mutating func insert(validating items: [Item], before sibling: Item) throws(SnapshotError<Never, Item>) {
        try check(sibling)
        try checkNew(items)
        insert(items, before: sibling)
    }

    /// The same as inserting without `validating:`, for items that may exist already and a sibling that may be unknown.
    public mutating func insert(validating items: [Item], after sibling: Item) throws(SnapshotError<Never, Item>) {
        try check(sibling)
        try checkNew(items)
        insert(items, after: sibling)
    }

    /// The same as inserting without `validating:`, for an outline whose items may exist already and a sibling that may
    /// be unknown.
    public mutating func insert(
        validating snapshot: SectionSnapshot, before sibling: Item
    ) throws(SnapshotError<Never, Item>) {
        try check(sibling)
        try checkNew(snapshot.items)
        insert(snapshot, before: sibling)
    }

    /// The same as inserting without `validating:`, for an outline whose items may exist already and a sibling that may
    /// be unknown.
    public mutating func insert(
        validating snapshot: SectionSnapshot, after sibling: Item
    ) throws(SnapshotError<Never, Item>) {
        try check(sibling)
        try checkNew(snapshot.items)
        insert(snapshot, after: sibling)
    }

    /// The same as ``replace(childrenOf:using:file:line:)``, for an outline whose items may be elsewhere already and a
    /// parent that may be unknown.
    public mutating func replace(
        childrenOf parent: Item, validating snapshot: SectionSnapshot
    ) throws(SnapshotError<Never, Item>) {
        try check(parent)
        let leaving = self.snapshot(of: parent)
        try checkNew(snapshot.items.filter { !leaving.contains($0) })
        replace(childrenOf: parent, using: snapshot)
    }

    private func check(_ item: Item) throws(SnapshotError<Never, Item>) {
        guard contains(item) else { throw .unknownItem(item) }
    }

    private func checkNew(_ items: [Item]) throws(SnapshotError<Never, Item>) {
        var seen = Set<Item>(minimumCapacity: items.count)
        for item in items {
            guard !contains(item), seen.insert(item).inserted else { throw .repeatedItem(item) }
        }
    }
}
