package import ChatRoom
package import ChatWire

/// The rows that the parts of a store have returned, and the parts that did not answer.
package struct PartialReading<Rows: Sendable>: Sendable {
    package var rows: Rows
    /// The parts that cannot be reached, of ``RoomStore/parts``. Not all of them: that is an error.
    package var missing: Set<Int>

    package init(_ rows: Rows, missing: Set<Int> = []) {
        (self.rows, self.missing) = (rows, missing)
    }

    package func map<Other: Sendable>(_ transform: (Rows) -> Other) -> PartialReading<Other> {
        PartialReading<Other>(transform(rows), missing: missing)
    }
}

/// Questions that concern all parts of a store. A part that cannot be reached leaves its rows out.
///
/// - Errors: `unavailable` if no part can be reached, and all other errors of any part.
extension RoomStore {
    /// See ``RoomStore/memberships(of:)``.
    package func reachableMemberships(
        of user: UserName
    ) throws(RoomStoreError) -> PartialReading<[MembershipReading]> {
        try load { (store, _) throws(RoomStoreError) in try store.memberships(of: user) }
            .map { $0.joined().sorted { $1.room.follows($0.room) } }
    }

    /// See ``RoomStore/memberships(of:in:)``.
    package func reachableMemberships(
        of user: UserName, in rooms: [RoomName]
    ) throws(RoomStoreError) -> PartialReading<[MembershipReading]> {
        try load(about: rooms, in: part) { (store, rooms) throws(RoomStoreError) in
            try store.memberships(of: user, in: rooms)
        }.map { Array($0.joined()) }
    }

    /// See ``RoomStore/places(of:)``.
    package func reachablePlaces(of user: UserName) throws(RoomStoreError) -> PartialReading<[MembershipPlace]> {
        try load { (store, _) throws(RoomStoreError) in try store.places(of: user) }.map { Array($0.joined()) }
    }

    /// See ``RoomStore/mentions(of:in:before:limit:)``.
    package func reachableMentions(
        of user: UserName, in rooms: [RoomName], before place: MentionSpot?, limit: Int
    ) throws(RoomStoreError) -> PartialReading<[MentionReading]> {
        try load(about: rooms, in: part) { (store, rooms) throws(RoomStoreError) in
            try store.mentions(of: user, in: rooms, before: place, limit: limit)
        }.map { Array($0.joined()).newest(limit) }
    }

    /// See ``RoomStore/profiles(of:)``.
    package func reachableProfiles(
        of users: [UserName]
    ) throws(RoomStoreError) -> PartialReading<[UserName: StoredProfile]> {
        try load(about: users, in: part) { (store, users) throws(RoomStoreError) in
            try store.profiles(of: users)
        }.map { $0.reduce(into: [:]) { $0.merge($1) { first, _ in first } } }
    }

    /// See ``RoomStore/drafts(of:)``.
    package func reachableDrafts(
        of users: [UserName]
    ) throws(RoomStoreError) -> PartialReading<[UserName: [StoredDraft]]> {
        try load(about: users, in: part) { (store, users) throws(RoomStoreError) in
            try store.drafts(of: users)
        }.map { $0.reduce(into: [:]) { $0.merge($1) { first, _ in first } } }
    }

    /// See ``RoomStore/later(of:)``.
    package func reachableLater(
        of users: [UserName]
    ) throws(RoomStoreError) -> PartialReading<[UserName: [StoredLater]]> {
        try load(about: users, in: part) { (store, users) throws(RoomStoreError) in
            try store.later(of: users)
        }.map { $0.reduce(into: [:]) { $0.merge($1) { first, _ in first } } }
    }

    /// See ``RoomStore/blocks(of:)``.
    package func reachableBlocks(
        of users: [UserName]
    ) throws(RoomStoreError) -> PartialReading<[UserName: [StoredBlock]]> {
        try load(about: users, in: part) { (store, users) throws(RoomStoreError) in
            try store.blocks(of: users)
        }.map { $0.reduce(into: [:]) { $0.merge($1) { first, _ in first } } }
    }

    /// See ``RoomStore/rooms(after:limit:)``.
    package func reachableRooms(
        after name: RoomName?, limit: Int
    ) throws(RoomStoreError) -> PartialReading<[RoomSummary]> {
        try load { (store, _) throws(RoomStoreError) in try store.rooms(after: name, limit: limit) }
            .map { Array($0.joined().sorted { $1.name.follows($0.name) }.prefix(limit)) }
    }

    private func load<Name, Rows: Sendable>(
        about names: [Name], in part: (Name) -> Int,
        _ question: (any RoomStore, [Name]) throws(RoomStoreError) -> Rows
    ) throws(RoomStoreError) -> PartialReading<[Rows]> {
        let isWhole = divisions.count == 1
        let names = Dictionary(grouping: names) { isWhole ? 0 : part($0) }
        return try load(names.keys.sorted()) { (store, part) throws(RoomStoreError) in
            try question(store, names[part] ?? [])
        }
    }

    /// - Parameter asked: the parts that the question concerns; `nil` for all.
    private func load<Rows: Sendable>(
        _ asked: [Int]? = nil, _ question: (any RoomStore, Int) throws(RoomStoreError) -> Rows
    ) throws(RoomStoreError) -> PartialReading<[Rows]> {
        let stores = divisions
        var reading = PartialReading<[Rows]>([])
        var failure: RoomStoreError?
        for part in asked ?? Array(stores.indices) where stores.indices.contains(part) {
            do throws(RoomStoreError) {
                reading.rows.append(try question(stores[part], part))
            } catch {
                guard case .unavailable = error, stores.count > 1 else { throw error }
                failure = error
                reading.missing.insert(part)
            }
        }
        if let failure, reading.missing.count == stores.count { throw failure }
        return reading
    }
}
