package import ChatWire
import Dispatch
import Locking
package import RoomStore

extension PostgresStore {
    private typealias Opened = Result<PostgresStore, RoomStoreError>

    /// Opens the databases of a server's list, in its order, once each of them has recorded its place in the list.
    ///
    /// A database that cannot be reached is opened later, if another one can be reached and has recorded the list.
    ///
    /// - Errors: `misplaced` with a list that is not the recorded one.
    package static func open(
        _ addresses: [PostgresAddress], limits: WireLimits = WireLimits(), patience: Patience = Patience()
    ) throws(RoomStoreError) -> [any RoomStore] {
        let share: Share = addresses.count == 1 ? .all : .part
        let attempts = attempt(addresses) { (address) throws(RoomStoreError) in
            try PostgresStore(address, limits: limits, patience: patience, schema: .current, has: share)
        }
        let stores = attempts.compactMap { try? $0.get() }
        do throws(RoomStoreError) {
            try requireOpen(attempts)
            let map = try agree(on: addresses, stores, attempts)
            for store in stores { store.failoverCheck.history.bind(to: map) }
            return attempts.enumerated().map { index, attempt in
                switch attempt {
                case .success(let store): store
                case .failure(let failure):
                    AwaitedStore(failure) { () throws(RoomStoreError) in
                        let store = try PostgresStore(
                            addresses[index], limits: limits, patience: patience, schema: .current, has: .part)
                        try store.join(map, as: index, of: addresses.map(\.place))
                        return store
                    }
                }
            }
        } catch {
            for store in stores { store.endLease() }
            throw error
        }
    }

    /// Opens all of them at the same time, so that those that are away make the server wait once.
    private static func attempt(
        _ addresses: [PostgresAddress],
        _ open: @Sendable (PostgresAddress) throws(RoomStoreError) -> PostgresStore
    ) -> [Opened] {
        let opened = Guarded<[Int: Opened]>([:])
        DispatchQueue.concurrentPerform(iterations: addresses.count) { index in
            let result = Opened { () throws(RoomStoreError) in try open(addresses[index]) }
            opened.withLock { $0[index] = result }
        }
        return opened.withLock { opened in addresses.indices.compactMap { opened[$0] } }
    }

    /// Throws the first failure that is not an outage, and if all databases are away the first one.
    private static func requireOpen(_ attempts: [Opened]) throws(RoomStoreError) {
        let failures = attempts.compactMap { if case .failure(let error) = $0 { error } else { nil } }
        let fatal = failures.first { if case .unavailable = $0 { false } else { true } }
        if let fatal { throw fatal }
        if failures.count == attempts.count, let first = failures.first { throw first }
    }

    private static func agree(
        on addresses: [PostgresAddress], _ stores: [PostgresStore], _ attempts: [Opened]
    ) throws(RoomStoreError) -> UniqueID {
        do throws(PostgresFailure) {
            let databases = try stores.map { (store) throws(PostgresFailure) in
                try PartDatabase(store.address, seeing: store.failoverCheck.history)
            }
            guard stores.count < addresses.count else { return try MapClaim.agree(databases) }
            try PartDatabase.requireDistinct(databases)
            var check = MapCheck(places: addresses.map(\.place), records: [])
            var rest = databases[...]
            for (index, attempt) in attempts.enumerated() {
                if case .success = attempt, let database = rest.popFirst() {
                    check.records.append(try database.records())
                } else {
                    check.records.append(PartRecords())
                    check.away.insert(index)
                }
            }
            switch check.verdict {
            case .agreed(let map): return map
            case .refused(let why): throw .misplaced(why)
            case .open, .unfinished:
                let away = attempts.compactMap { if case .failure(let error) = $0 { "\(error)" } else { nil } }
                throw .lost(
                    "not all databases of --store have recorded yet which rooms they have, so all must run: "
                        + away.joined(separator: "; "))
            }
        } catch {
            throw RoomStoreError(error, at: addresses.map(\.place).joined(separator: "; "))
        }
    }

    /// Takes its place in the list that the server has served so far.
    ///
    /// - Errors: `misplaced` if it has recorded another one.
    private func join(_ map: UniqueID, as index: Int, of places: [String]) throws(RoomStoreError) {
        do throws(PostgresFailure) {
            var records = Array(repeating: PartRecords(), count: places.count)
            records[index] = try PartDatabase(address, seeing: failoverCheck.history).records()
            let others = Set(places.indices).subtracting([index])
            switch MapCheck(places: places, records: records, away: others).verdict {
            case .agreed(map): failoverCheck.history.bind(to: map)
            case .refused(let why): throw .misplaced(why)
            case .agreed, .open, .unfinished:
                throw .misplaced("\(address.place) is not the database that it was: name that one in --store")
            }
        } catch {
            endLease()
            throw RoomStoreError(error, at: address.place)
        }
    }
}
