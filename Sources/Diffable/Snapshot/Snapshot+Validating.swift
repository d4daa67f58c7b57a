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
            guard tokens[section] == nil else { throw .repeatedSection(section) }
            let token = appendSection(section)
            index.reserve(index.count + items.count)
            slots[token].rows.reserve(items.count)
            for item in items {
                guard appendNew(item, hash: rowHash(item), to: token) == nil else { throw .repeatedItem(item) }
            }
        }
    }
}
