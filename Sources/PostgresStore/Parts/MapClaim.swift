import ChatWire
import Glibc
import RoomStore

/// The first recording of a list's map in its databases, one transaction at a time.
///
/// - Law: two servers that serve with lists that share a database have the same list. Each recording has a map id of its
///   own, and a record that is in force stays. A server serves once all of its databases have that id in force.
/// - Law: a recording that is cut off binds no server, or the next server with the same list completes it. First all databases
///   but the first one get a tentative record; then the first one gets its record, which decides; then the others' come in
///   force.
struct MapClaim {
    private let databases: [PartDatabase]
    private let map: UniqueID
    private var rest: [(index: Int, state: PartRecord.State)]

    init(_ databases: [PartDatabase]) {
        (self.databases, map) = (databases, .random())
        let others = databases.indices.dropFirst()
        rest = others.map { ($0, .tentative) } + [(0, .current)] + others.map { ($0, .current) }
    }

    /// Goes on with a recording that was cut off.
    ///
    /// - Parameter tentative: the databases whose records are not in force yet.
    init(_ databases: [PartDatabase], completing map: UniqueID, _ tentative: [Int]) {
        (self.databases, self.map) = (databases, map)
        rest = tentative.map { ($0, .current) }
    }

    /// Makes the next transaction, durably.
    ///
    /// - Returns: the map once all databases have their records.
    mutating func step() throws(PostgresFailure) -> UniqueID? {
        guard !rest.isEmpty else { return map }
        let (index, state) = rest.removeFirst()
        let record = PartRecord(
            map: map, parts: databases.count, part: index, list: databases.map(\.place).joined(separator: "; "))
        var steps = [PartDatabase.forget(.tentative), PartDatabase.write(record, as: state)]
        if state == .current { steps.append(PartDatabase.bind(to: map)) }
        try databases[index].commit(steps)
        return nil
    }
}

extension MapClaim {
    private static let patience = Duration.seconds(60)
    private static let pause = Duration.milliseconds(100)

    /// Checks a list against what its databases have recorded. Databases without records get them.
    ///
    /// - Returns: the id of the map.
    /// - Errors: `misplaced` with a wrong list.
    static func agree(_ databases: [PartDatabase]) throws(PostgresFailure) -> UniqueID {
        try PartDatabase.requireDistinct(databases)
        let end = ContinuousClock.now + patience
        while true {
            if case .agreed(let map) = try verdict(on: databases) { return map }
            if try PartDatabase.lock(databases) { break }
            guard ContinuousClock.now < end else {
                throw .misplaced(
                    "another program has been writing down for \(patience) which rooms \(databases[0].place) has: see that "
                        + "it ends, then start the server again")
            }
            usleep(UInt32(pause / .microseconds(1)))
        }
        return try record(databases)
    }

    /// Records the map, under the locks of all databases.
    private static func record(_ databases: [PartDatabase]) throws(PostgresFailure) -> UniqueID {
        var claim: MapClaim
        switch try verdict(on: databases) {
        case .agreed(let map): return map
        case .unfinished(let map, let tentative): claim = MapClaim(databases, completing: map, tentative)
        case .open, .refused:
            try requireEvidence(databases)
            claim = MapClaim(databases)
        }
        while true {
            if let map = try claim.step() { return map }
        }
    }

    static func verdict(on databases: [PartDatabase]) throws(PostgresFailure) -> MapCheck.Verdict {
        var records: [PartRecords] = []
        for database in databases { records.append(try database.records()) }
        let verdict = MapCheck(places: databases.map(\.place), records: records).verdict
        if case .refused(let why) = verdict { throw .misplaced(why) }
        return verdict
    }

    /// Refuses a list that contradicts the rooms of databases that earlier versions have filled.
    private static func requireEvidence(_ databases: [PartDatabase]) throws(PostgresFailure) {
        let partition = Partition(parts: databases.count)
        for (index, database) in databases.enumerated() {
            guard let (name, part) = try database.misplaced(in: partition, part: index) else { continue }
            throw .misplaced(
                "\(database.place) has the room or profile '\(name)', which belongs to \(databases[part].place) by --store: "
                    + "name the databases that the servers have had so far, in that order, or move the rooms with "
                    + "'diffroomd reshard'")
        }
    }
}
