extension Snapshot {
    /// Makes a snapshot from identifiers that are not known to be unique: a file's, a peer's.
    ///
    /// - Errors: ``SnapshotError`` names the first section, or else the first item, that stands there twice.
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
