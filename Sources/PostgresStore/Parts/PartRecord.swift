import ChatWire
import RoomStore

/// A database's record of the part of the rooms that it holds.
///
/// All databases of one list carry the same map id, and each its own place in the list. A record that is in force is only
/// changed by moving rooms.
struct PartRecord: Equatable, Sendable {
    enum State: String, Sendable {
        /// In force.
        case current
        /// Written before the first database of the list has its record, which decides. It binds no server before that.
        case tentative
        /// Rooms are being moved. In force once all rooms are where it says.
        case next
    }

    let map: UniqueID
    /// The number of databases.
    let parts: Int
    /// The database's index among them; `nil` after it was left out of the list.
    let part: Int?
    /// The places of all databases in their order, for people.
    let list: String
}

/// All records of one database.
struct PartRecords: Equatable, Sendable {
    var current: PartRecord?
    var tentative: PartRecord?
    var next: PartRecord?
}

/// The comparison of a server's list of databases with what those have recorded.
struct MapCheck {
    /// The databases for people, in the order of the list.
    let places: [String]
    var records: [PartRecords]
    /// The indices of those that cannot be reached, whose records are not known.
    var away: Set<Int> = []

    enum Verdict: Equatable {
        /// All databases that can be reached have their places in the map with this id.
        case agreed(UniqueID)
        /// So they have, and the records of some are not in force yet.
        case unfinished(UniqueID, [Int])
        /// No database has a record that is in force.
        case open
        /// The list is wrong, with the reason.
        case refused(String)
    }

    var verdict: Verdict {
        if let moving = records.firstIndex(where: { $0.next != nil }) {
            let list = records[moving].next?.list ?? ""
            return .refused(
                "the rooms of \(places[moving]) are being moved to \(list): run 'diffroomd reshard' to its end with the "
                    + "same lists, then start the servers with the new list")
        }
        for (index, records) in records.enumerated() {
            if let record = records.current, let why = contradiction(of: record, at: index) { return .refused(why) }
        }
        guard let first = records.compactMap(\.current).first else { return .open }
        return verdict(on: first)
    }

    private func contradiction(of record: PartRecord, at index: Int) -> String? {
        guard let part = record.part else {
            return "\(places[index]) holds no rooms since they were moved to \(record.list): name those in --store"
        }
        guard part != index || record.parts != places.count else { return nil }
        return "\(places[index]) is database \(part + 1) of \(record.parts), and --store names it as \(index + 1) of "
            + "\(places.count): name \(record.list) in this order, or move the rooms with 'diffroomd reshard'"
    }

    /// - Parameter record: the first one. It and all others have the places of the list.
    private func verdict(on record: PartRecord) -> Verdict {
        var tentatives: [Int] = []
        for (index, records) in records.enumerated() where !away.contains(index) {
            if let current = records.current {
                guard current.map != record.map else { continue }
                return .refused(
                    "\(places[index]) belongs to other databases than \(places[0]): it belongs to \(current.list). Name "
                        + "databases of one list in --store")
            }
            guard index > 0, let tentative = records.tentative, tentative.map == record.map else {
                return .refused(
                    "\(places[index]) is not the database that it was, since the others belong to \(record.list), and it "
                        + "to none: name that one in --store")
            }
            tentatives.append(index)
        }
        return tentatives.isEmpty ? .agreed(record.map) : .unfinished(record.map, tentatives)
    }
}
