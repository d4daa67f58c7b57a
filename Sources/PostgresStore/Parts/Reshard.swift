import ChatWire
import Glibc
package import RoomStore

/// The moving of rooms and profiles to the databases of another list, in steps of one transaction each.
///
/// It may be cut off after and within each step. Begun again with the same lists, it goes on. After an error it is not used
/// again.
///
/// - Law: no server serves meanwhile. It begins with a mark in each database, which no running server survives and with
///   which none starts. The new list's records come in force when all is where they say.
package final class Reshard {
    /// The report of a step.
    package enum Progress: Equatable, Sendable {
        /// The names that are to be moved, of rooms and of people with profiles.
        case planned(names: Int)
        /// A database was marked, or its record came in force.
        case recorded(String)
        case moved(names: Int, from: String, to: String)
        case done
    }

    private enum Phase {
        /// Next: `marking`, or `done` when there is nothing to do.
        case planning
        /// Next: `awaiting`.
        case marking(Int)
        /// Waits for the transactions that have not seen the mark. Next: `moving`.
        case awaiting(Int)
        /// Next: `removing`, or the next database, or `recording`.
        case moving(Int, PartDatabase.Named, after: String)
        /// Next: `moving`.
        case removing(Int, PartDatabase.Named, after: String, [String], to: Int)
        /// Next: `done`.
        case recording(Int)
        case done
    }

    private let all: [PartDatabase]
    private let plan: ReshardPlan
    private let partition: Partition
    private var phase = Phase.planning

    /// The number of rooms, and of profiles, of one transaction.
    private static let group = 50

    /// Connects, and brings the databases' tables to this version.
    ///
    /// - Parameters:
    ///   - old: the present list.
    ///   - new: the list that is to be.
    package init(from old: [PostgresAddress], to new: [PostgresAddress]) throws(RoomStoreError) {
        var databases: [PartDatabase] = []
        for address in old + new {
            do throws(PostgresFailure) {
                databases.append(try Self.open(address))
            } catch {
                throw RoomStoreError(error, at: address.place)
            }
        }
        let (before, after) = (Array(databases.prefix(old.count)), Array(databases.suffix(new.count)))
        do throws(PostgresFailure) {
            try PartDatabase.requireDistinct(before)
            try PartDatabase.requireDistinct(after)
        } catch {
            throw RoomStoreError(error, at: "")
        }
        all = before + after.filter { database in !before.contains { $0.identity == database.identity } }
        let identities = after.map(\.identity)
        plan = ReshardPlan(
            places: all.map(\.place), old: before.count, new: all.map { identities.firstIndex(of: $0.identity) },
            list: after.map(\.place).joined(separator: "; "))
        partition = Partition(parts: new.count)
    }

    private static func open(_ address: PostgresAddress) throws(PostgresFailure) -> PartDatabase {
        let lease = Lease(server: .random(), knows: PostgresStore.latestFormat, length: .zero, schema: address.schema)
        let history = History()
        OldPrimaries(FailoverCheck(address: address, lease: lease, history: history)).search()
        let database = try PartDatabase(address, seeing: history)
        try Schema.current.migrate(over: database.connection, address, lease, history)
        try lease.end(over: database.connection)
        return database
    }

    /// Makes the next step, durably.
    ///
    /// - Errors: `misplaced` when the lists are not those of the databases, when a room is in two of them, and while servers
    ///   run.
    package func step() throws(RoomStoreError) -> Progress {
        do throws(PostgresFailure) {
            switch phase {
            case .planning: return try begin()
            case .marking(let index): return try mark(index)
            case .awaiting(let index): return try awaitOthers(in: index)
            case .moving(let index, let named, let name): return try move(index, named, after: name)
            case .removing(let index, let named, let name, let names, let target):
                return try remove(index, named, after: name, names, to: target)
            case .recording(let index): return try record(index)
            case .done: return .done
            }
        } catch {
            throw RoomStoreError(error, at: all.map(\.place).joined(separator: "; "))
        }
    }

    // MARK: - Marks

    private func begin() throws(PostgresFailure) -> Progress {
        // An earlier run that was killed keeps its locks until the database notices.
        let end = ContinuousClock.now + .seconds(10)
        while try !PartDatabase.lock(all) {
            usleep(100_000)
            guard ContinuousClock.now >= end else { continue }
            throw .misplaced(
                "a server is starting, or another reshard is running: wait for its end, then run this again")
        }
        var records: [PartRecords] = []
        for database in all { records.append(try database.records()) }
        let isUnderWay = try plan.begin(records)
        for database in all { try requireNoServer(in: database) }
        let count = try count(refusingConflicts: !isUnderWay)
        phase = count == 0 && plan.isDone(records) ? .done : .marking(0)
        return .planned(names: count)
    }

    private func requireNoServer(in database: PartDatabase) throws(PostgresFailure) {
        let sql = "SELECT count(*) FROM servers WHERE until > clock_timestamp()"
        guard let count = try database.connection.run([.run(sql)])[0].rows.first?.integer(0), count > 0 else { return }
        throw .misplaced(
            "\(count) servers run on \(database.place): stop all servers, then run this again. One that was killed counts "
                + "for ten seconds")
    }

    /// Counts the names that are to be moved.
    private func count(refusingConflicts: Bool) throws(PostgresFailure) -> Int {
        var count = 0
        for (index, source) in all.enumerated() {
            for named in PartDatabase.Named.allCases {
                var last = ""
                while true {
                    let names = try source.names(of: named, after: last)
                    guard let end = names.last else { break }
                    let moving = Dictionary(grouping: names) { plan.database(of: partition.part(of: $0)) }
                    for (target, names) in moving where target != index {
                        count += names.count
                        guard refusingConflicts, named == .rooms else { continue }
                        if let name = try all[target].first(of: names) {
                            throw RoomMove.conflict(name, source, all[target])
                        }
                    }
                    last = end
                }
            }
        }
        return count
    }

    /// Marks one database. No server of any version reads or writes there from now on, once its transaction has ended.
    private func mark(_ index: Int) throws(PostgresFailure) -> Progress {
        let database = all[index]
        phase = index + 1 < all.count ? .marking(index + 1) : .awaiting(0)
        if let record = plan.mark(of: index) {
            // A server begins its lease under this lock, and looks for marks later.
            try database.connection.run([
                .run("BEGIN"), .run(Lease.lock, .text(database.address.schema)),
            ])
            try requireNoServer(in: database)
            try database.connection.runDurably(
                [
                    PartDatabase.forget(.next), PartDatabase.forget(.tentative),
                    PartDatabase.write(record, as: .next), PartDatabase.bind(to: record.map), .run("COMMIT"),
                ], until: .now + .seconds(60))
        }
        return .recorded(database.place)
    }

    /// Waits until every transaction has ended that began before the mark, and has locked rooms or made some.
    private func awaitOthers(in index: Int) throws(PostgresFailure) -> Progress {
        try all[index].commit([.run("LOCK TABLE rooms, profiles, drafts, later, blocks IN EXCLUSIVE MODE")])
        if index + 1 == all.count { try copyBlocks() }
        phase = index + 1 < all.count ? .awaiting(index + 1) : .moving(0, .rooms, after: "")
        return .recorded(all[index].place)
    }

    /// Gives every database the blocks of all people.
    private func copyBlocks() throws(PostgresFailure) {
        for source in all.indices {
            for target in all.indices where target != source {
                try RoomMove(source: all[source], target: all[target]).copyBlocks()
            }
        }
    }

    // MARK: - Moves

    private func move(
        _ index: Int, _ named: PartDatabase.Named, after name: String
    ) throws(PostgresFailure) -> Progress {
        let names = try all[index].names(of: named, after: name)
        guard let end = names.last else {
            phase = following(index, named)
            return .moved(names: 0, from: all[index].place, to: all[index].place)
        }
        let targets = names.map { plan.database(of: partition.part(of: $0)) }
        guard let target = targets.first(where: { $0 != index }) else {
            phase = .moving(index, named, after: end)
            return .moved(names: 0, from: all[index].place, to: all[index].place)
        }
        let group = Array(zip(names, targets).filter { $0.1 == target }.map(\.0).prefix(Self.group))
        let move = RoomMove(source: all[index], target: all[target])
        switch named {
        case .rooms: try move.copyRooms(group)
        case .people: try move.copyPeople(group)
        }
        phase = .removing(index, named, after: name, group, to: target)
        return .moved(names: 0, from: all[index].place, to: all[target].place)
    }

    private func following(_ index: Int, _ named: PartDatabase.Named) -> Phase {
        switch named {
        case .rooms: .moving(index, .people, after: "")
        case .people: index + 1 < all.count ? .moving(index + 1, .rooms, after: "") : .recording(0)
        }
    }

    private func remove(
        _ index: Int, _ named: PartDatabase.Named, after name: String, _ names: [String], to target: Int
    ) throws(PostgresFailure) -> Progress {
        let move = RoomMove(source: all[index], target: all[target])
        switch named {
        case .rooms: try move.removeRooms(names)
        case .people: try move.removePeople(names)
        }
        phase = .moving(index, named, after: name)
        return .moved(names: names.count, from: all[index].place, to: all[target].place)
    }

    // MARK: - Records

    /// Puts a database's record in force. Those that are left out come first, so that an interruption leaves none behind
    /// once the servers can start.
    private func record(_ turn: Int) throws(PostgresFailure) -> Progress {
        let order = all.indices.filter { plan.new[$0] == nil } + all.indices.filter { plan.new[$0] != nil }
        let index = order[turn]
        let record = plan.record(of: index)
        try all[index].commit([
            PartDatabase.forget(.current), PartDatabase.forget(.next), PartDatabase.write(record, as: .current),
            PartDatabase.bind(to: record.map),
        ])
        phase = turn + 1 < all.count ? .recording(turn + 1) : .done
        return .recorded(all[index].place)
    }
}

extension PartDatabase {
    /// Returns the first of these rooms that is here.
    fileprivate func first(of names: [String]) throws(PostgresFailure) -> String? {
        let sql = "SELECT name FROM rooms WHERE name = ANY($1::text[]) AND revision > 0 ORDER BY name LIMIT 1"
        return try connection.run([.run(sql, .texts(names))])[0].rows.first?.text(0)
    }
}
