extension Resume {
    /// Returns the tags of the rows that the reader holds, by their ids. Ids that are none are left out.
    package func tags<Row: WireRow>(of _: Row.Type) -> [Row.ID: UniqueID]? {
        guard let rows else { return nil }
        var tags: [Row.ID: UniqueID] = [:]
        for row in rows {
            if let id = Row.id(known: row.id) { tags[id] = row.tag }
        }
        return tags
    }

    /// Names the rows, or their sums if they are many, if each has a tag.
    public mutating func hold<Row: ListRow>(_ held: [Row]) {
        guard held.count <= Self.mostRows else {
            sums = RowSums(of: held)
            return
        }
        var rows: [HeldRow] = []
        for row in held {
            guard let tag = row.tag else { return }
            rows.append(HeldRow(id: row.id.description, tag: tag))
        }
        self.rows = rows
    }
}
