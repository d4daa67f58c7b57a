import ChatWire

/// The databases of the present and of the new list, with what their records allow.
final class ReshardPlan {
    /// For people: those of the present list, then the others of the new one.
    private let places: [String]
    /// The number of databases of the present list.
    private let old: Int
    /// The indices in the new list; `nil` for a database that is left out.
    let new: [Int?]
    private let list: String
    private var map = UniqueID.random()
    /// The databases that have their marks or records already.
    private var marked: Set<Int> = []

    init(places: [String], old: Int, new: [Int?], list: String) {
        (self.places, self.old, self.new, self.list) = (places, old, new, list)
    }

    /// Returns the index of the database that has a part of the new list.
    func database(of part: Int) -> Int {
        new.firstIndex(of: part) ?? 0
    }

    func record(of index: Int) -> PartRecord {
        PartRecord(map: map, parts: new.compactMap(\.self).count, part: new[index], list: list)
    }

    /// Returns the mark that a database still needs.
    func mark(of index: Int) -> PartRecord? {
        marked.contains(index) ? nil : record(of: index)
    }

    /// Returns whether all records are those of the new list, and none is marked.
    func isDone(_ records: [PartRecords]) -> Bool {
        guard let map = records[database(of: 0)].current?.map else { return false }
        return records.indices.allSatisfy { index in
            guard records[index].next == nil, let record = records[index].current else { return false }
            return record.part == new[index] && (record.part == nil || record.map == map)
        }
    }

    /// Checks the lists against the records.
    ///
    /// - Returns: whether rooms were being moved already. The plan goes on with that.
    /// - Errors: `misplaced`.
    func begin(_ records: [PartRecords]) throws(PostgresFailure) -> Bool {
        guard let mark = records.compactMap(\.next).first else {
            if !isDone(records) { try requirePresentList(records) }
            return false
        }
        map = mark.map
        for (index, records) in records.enumerated() {
            if let next = records.next {
                guard next == record(of: index) else {
                    throw .misplaced(
                        "the rooms of \(places[index]) are being moved to \(next.list): finish that first, with the same "
                            + "lists as before")
                }
                marked.insert(index)
            } else if let current = records.current, current.map == map {
                marked.insert(index)
            }
        }
        try requireWholeMap(records)
        return true
    }

    private func requirePresentList(_ records: [PartRecords]) throws(PostgresFailure) {
        let check = MapCheck(places: Array(places.prefix(old)), records: Array(records.prefix(old)))
        if case .refused(let why) = check.verdict { throw .misplaced(why) }
        for index in old..<records.count {
            guard let record = records[index].current, record.part != nil else { continue }
            throw .misplaced(
                "\(places[index]) is new in the list, but has the rooms of \(record.list): name an empty database")
        }
    }

    /// Refuses to go on without a database of the map that is left: its rooms would be left behind. Once a record of the new
    /// map is in force, all rooms were moved.
    private func requireWholeMap(_ records: [PartRecords]) throws(PostgresFailure) {
        let current = records.compactMap(\.current)
        guard !current.contains(where: { $0.map == map }),
            let left = current.first(where: { $0.part != nil })
        else { return }
        let parts = Set(current.filter { $0.map == left.map }.compactMap(\.part))
        guard parts.count < left.parts else { return }
        throw .misplaced(
            "the rooms of \(left.list) are being moved, and one of these is missing: name all of them in --store")
    }
}
