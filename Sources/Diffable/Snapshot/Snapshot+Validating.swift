extension Snapshot where Section: Sendable, Item: Sendable {
    /// Makes a snapshot from identifiers that may not be unique, for example from a file or a peer.
    ///
    /// - Errors: ``SnapshotError`` names the first section, or otherwise the first item, that occurs twice.
    /// - Complexity: O(*n*).
    @inlinable
    public init(
        sections: some Sequence<(Section, [Item])>
    ) throws(SnapshotError<Section, Item>) {
        self.init()
        for (section, items) in sections {
            guard token(of: section) == nil else { throw .repeatedSection(section) }
            let token = appendSection(section, CallSite())
            if let (offset, _) = appendNew(items, to: token) { throw .repeatedItem(items[offset]) }
        }
    }
}
