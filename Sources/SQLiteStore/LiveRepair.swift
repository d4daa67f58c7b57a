import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

/// The repair of a room that is served, from its operations.
///
/// It writes only rows that are missing or have a wrong checksum. Clients were not sent those, so the epoch goes on. Rows
/// keep a wrong checksum where the operations do not decide all values for certain: those that retention has shortened, and
/// memberships, whose read mark is in no operation. A room with a damaged operation is left as it is.
enum LiveRepair {
    struct Outcome: Sendable {
        var repaired: [String] = []
        var remaining: [String] = []
    }

    /// Repairs a room within a transaction.
    ///
    /// - Complexity: O(operations and rows of the room).
    static func perform(in name: RoomName, over connection: borrowing Connection) throws(RoomStoreError) -> Outcome {
        let find = try Statement("SELECT id FROM rooms WHERE name = ?1", on: connection)
        find.bind(1, name.description)
        guard let id = try find.first({ (row) throws(RoomStoreError) in row.integer(0) }) else { return Outcome() }
        let unknown = connection.sums == .required ? "" : " AND sum <> 0"
        let damaged = try number(of: RowSums.operations.wrong + unknown, id, connection)
        guard damaged == 0 else { return Outcome(remaining: ["\(damaged) operations have a wrong checksum"]) }
        let isWhole = try isWhole(id, connection)
        var outcome = Outcome()
        if try number(of: "FROM rooms WHERE id = ?1 AND sum <> \(RowSums.rooms.right)", id, connection) > 0 {
            let fault = "the room's row has a wrong checksum"
            guard isWhole else { return Outcome(remaining: [fault]) }
            try run(resetLine, id, connection)
            outcome.repaired.append(fault)
        }
        var kept: Set<UInt64> = []
        for finding in try RoomCheck(connection).findings(in: id, named: name) where !finding.isOfSums {
            if try isCertain(finding, id, connection) {
                try RoomRepair.write(finding.repairs, in: id, over: connection)
                outcome.repaired.append(finding.text)
            } else {
                outcome.remaining.append(finding.text)
                kept.formUnion(finding.repairs.compactMap(\.sort))
            }
        }
        try renewSums(in: id, besides: kept, isWhole, &outcome, connection)
        return outcome
    }

    /// Retention leaves gaps. Without one the list begins at 0, and the operations decide all rows.
    private static func isWhole(_ room: Int64, _ connection: borrowing Connection) throws(RoomStoreError) -> Bool {
        let whole = """
            FROM (SELECT count(*) AS number, max(revision) AS last FROM operations WHERE room = ?1) WHERE number = last
            """
        return try number(of: whole, room, connection) > 0
    }

    private static let resetLine = """
        UPDATE rooms SET start = 0, floor = 0, revision = (SELECT max(revision) FROM operations WHERE room = ?1)
        WHERE id = ?1
        """

    private static func isCertain(
        _ finding: Finding, _ room: Int64, _ connection: borrowing Connection
    ) throws(RoomStoreError) -> Bool {
        guard finding.caveat == nil, !finding.repairs.isEmpty else { return false }
        for repair in finding.repairs {
            guard let row = repair.row else { continue }
            let sound = "FROM \(row.sums.table) WHERE \(row.key) AND sum = \(row.sums.right)"
            guard try number(of: sound, room, connection) == 0 else { return false }
        }
        return true
    }

    /// Gives the rows that are right now their right sums.
    private static func renewSums(
        in room: Int64, besides kept: Set<UInt64>, _ isWhole: Bool, _ outcome: inout Outcome,
        _ connection: borrowing Connection
    ) throws(RoomStoreError) {
        let others = " AND sort NOT IN (\(kept.sorted().map { "\($0)" }.joined(separator: ", ")))"
        let certain: [(RowSums, String)] = [(.messages, others), (.tombstones, "")]
        for (sums, others) in certain + (isWhole ? [(.rooms, ""), (.standings, "")] : []) {
            let wrong = try number(of: sums.wrong + others, room, connection)
            guard wrong > 0 else { continue }
            try run(sums.renewal + others, room, connection)
            outcome.repaired.append("\(wrong) rows of \(sums.table) had a wrong checksum")
        }
        for sums in RowSums.derived {
            let wrong = try number(of: sums.wrong, room, connection)
            if wrong > 0 { outcome.remaining.append("\(wrong) rows of \(sums.table) have a wrong checksum") }
        }
    }

    private static func number(
        of rows: String, _ room: Int64, _ connection: borrowing Connection
    ) throws(RoomStoreError) -> Int64 {
        let statement = try Statement("SELECT count(*) \(rows)", on: connection)
        statement.bind(1, room)
        return try statement.first { (row) throws(RoomStoreError) in row.integer(0) } ?? 0
    }

    private static func run(_ sql: String, _ room: Int64, _ connection: borrowing Connection) throws(RoomStoreError) {
        let statement = try Statement(sql, on: connection)
        statement.bind(1, room)
        try statement.run()
    }
}

extension Finding {
    fileprivate var isOfSums: Bool {
        repairs.count == 1 && repairs.allSatisfy { if case .sums = $0 { true } else { false } }
    }
}

extension Repair {
    /// The message that it is about.
    fileprivate var sort: UInt64? {
        switch self {
        case .message(let right): right.sort
        case .ordinal(let sort, _): sort
        case .columns, .standing, .membership, .mentions, .tombstone, .notDeleted, .lastSend, .sizes, .commands, .sums:
            nil
        }
    }

    /// The row with a sum that it writes, with a condition that finds it in the room `?1`.
    fileprivate var row: (sums: RowSums, key: String)? {
        switch self {
        case .message(let right): (.messages, "room = ?1 AND sort = \(right.sort)")
        case .ordinal(let sort, _): (.messages, "room = ?1 AND sort = \(sort)")
        case .tombstone(let revision, _): (.tombstones, "room = ?1 AND changed = \(revision)")
        case .columns: (.rooms, "id = ?1")
        case .standing(let user, _): (.standings, "room = ?1 AND user = '\(user.description.quoted)'")
        case .membership(let user, _): (.memberships, "room = ?1 AND user = '\(user.description.quoted)'")
        case .mentions, .notDeleted, .lastSend, .sizes, .commands, .sums: nil
        }
    }
}

extension String {
    /// As it stands between a statement's quotes.
    fileprivate var quoted: String { replacing("'", with: "''") }
}
