package import ChatRoom
package import ChatWire
package import RoomStore

/// One store that is made of several.
///
/// Each room belongs for good to one of a fixed number of logical shards, and each store has a range of the shards.
/// Rooms share nothing, so the stores share nothing either.
///
/// - Errors: those of the room's store. The other stores go on.
package final class ShardedStore: RoomStore {
    private let stores: [any RoomStore]
    private let partition: Partition

    /// - Parameter stores: the stores, in the same order on every server.
    package init(_ stores: [any RoomStore]) {
        self.stores = stores
        partition = Partition(parts: stores.count)
    }

    /// The epoch of the whole. It changes when any store's epoch does.
    package var epoch: Epoch {
        let epochs = stores.map(\.epoch.description).joined(separator: " ")
        guard let epoch = stores.count == 1 ? stores[0].epoch : Epoch(String(fingerprint(epochs), radix: 36)) else {
            preconditionFailure("epochs \(epochs)")
        }
        return epoch
    }

    /// Nothing can be written once no store can be.
    package var trouble: String? {
        let troubles = troubles
        return troubles.count == stores.count ? troubles.first : nil
    }

    package var troubles: [String] { stores.flatMap(\.troubles) }

    package var faults: Int { stores.map(\.faults).reduce(0, +) }

    package func clock(ofPart part: Int) -> StoreClock? { stores[part].clock(ofPart: 0) }

    /// The greatest offset from any store's clock.
    package var clockOffset: Duration {
        stores.map(\.clockOffset).max { abs($0 / .seconds(1)) < abs($1 / .seconds(1)) } ?? .zero
    }

    package var parts: Int { stores.count }
    package var divisions: [any RoomStore] { stores }

    package func part(of room: RoomName) -> Int { partition.part(of: room) }

    package var lanes: Int { stores.map(\.lanes).max() ?? 1 }

    /// A person's profile, drafts and items of `me/later` are in a part that is chosen as a room's is.
    package func part(of user: UserName) -> Int { partition.part(of: user) }

    private func store(of room: RoomName) -> any RoomStore {
        stores[part(of: room)]
    }

    /// Commits a batch in one transaction for each store that it concerns. After an error, some of them may have been
    /// made.
    ///
    /// Each store counts the memberships of a person in its own rooms.
    package func commit(inOrder batch: [BatchEntry]) throws(RoomStoreError) -> [CommitOutcome] {
        var outcomes = [CommitOutcome?](repeating: nil, count: batch.count)
        for (part, store) in stores.enumerated() {
            let places = batch.indices.filter { self.part(of: batch[$0].room) == part }
            guard !places.isEmpty else { continue }
            let operations = places.filter { batch[$0].operation != nil }
            for (place, outcome) in zip(operations, try store.commit(inOrder: places.map { batch[$0] })) {
                outcomes[place] = outcome
            }
        }
        return outcomes.compactMap(\.self)
    }

    package func memberships(of user: UserName) throws(RoomStoreError) -> [MembershipReading] {
        var readings: [MembershipReading] = []
        for store in stores { readings += try store.memberships(of: user) }
        return readings.sorted { $1.room.follows($0.room) }
    }

    package func memberships(of user: UserName, in rooms: [RoomName]) throws(RoomStoreError) -> [MembershipReading] {
        var readings: [MembershipReading] = []
        for (part, store) in stores.enumerated() {
            let rooms = rooms.filter { self.part(of: $0) == part }
            if !rooms.isEmpty { readings += try store.memberships(of: user, in: rooms) }
        }
        return readings
    }

    package func places(of user: UserName) throws(RoomStoreError) -> [MembershipPlace] {
        var places: [MembershipPlace] = []
        for store in stores { places += try store.places(of: user) }
        return places
    }

    package func memberships(
        of users: [UserName], in room: RoomName
    ) throws(RoomStoreError) -> [UserName: MembershipReading] {
        try store(of: room).memberships(of: users, in: room)
    }

    package func mentions(
        of user: UserName, in rooms: [RoomName], before place: MentionSpot?, limit: Int
    ) throws(RoomStoreError) -> [MentionReading] {
        var readings: [MentionReading] = []
        for (part, store) in stores.enumerated() {
            let rooms = rooms.filter { self.part(of: $0) == part }
            if !rooms.isEmpty { readings += try store.mentions(of: user, in: rooms, before: place, limit: limit) }
        }
        return readings.newest(limit)
    }

    package func search(
        _ query: SearchQuery, in rooms: [RoomName], before place: SearchPlace?, limit: Int
    ) throws(RoomStoreError) -> SearchReading {
        var readings: [SearchReading] = []
        for (part, store) in stores.enumerated() {
            let rooms = rooms.filter { self.part(of: $0) == part }
            if !rooms.isEmpty { readings.append(try store.search(query, in: rooms, before: place, limit: limit)) }
        }
        return SearchReading(merging: readings, limit: limit)
    }

    package func profiles(of users: [UserName]) throws(RoomStoreError) -> [UserName: StoredProfile] {
        var profiles: [UserName: StoredProfile] = [:]
        for (part, store) in stores.enumerated() {
            let users = users.filter { self.part(of: $0) == part }
            if !users.isEmpty { profiles.merge(try store.profiles(of: users)) { first, _ in first } }
        }
        return profiles
    }

    package func write(_ changes: [ProfileChange]) throws(RoomStoreError) -> Set<UserName> {
        var written: Set<UserName> = []
        for (part, store) in stores.enumerated() {
            let changes = changes.filter { self.part(of: $0.user) == part }
            if !changes.isEmpty { written.formUnion(try store.write(changes)) }
        }
        return written
    }

    package func drafts(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredDraft]] {
        var drafts: [UserName: [StoredDraft]] = [:]
        for (part, store) in stores.enumerated() {
            let users = users.filter { self.part(of: $0) == part }
            if !users.isEmpty { drafts.merge(try store.drafts(of: users)) { first, _ in first } }
        }
        return drafts
    }

    package func write(_ changes: [DraftChange], keeping most: Int) throws(RoomStoreError) {
        for (part, store) in stores.enumerated() {
            let changes = changes.filter { self.part(of: $0.user) == part }
            if !changes.isEmpty { try store.write(changes, keeping: most) }
        }
    }

    package func later(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredLater]] {
        var items: [UserName: [StoredLater]] = [:]
        for (part, store) in stores.enumerated() {
            let users = users.filter { self.part(of: $0) == part }
            if !users.isEmpty { items.merge(try store.later(of: users)) { first, _ in first } }
        }
        return items
    }

    package func nextLater(limit: Int) throws(RoomStoreError) -> [(user: UserName, item: StoredLater)] {
        var next: [(user: UserName, item: StoredLater)] = []
        for store in stores { next += try store.nextLater(limit: limit) }
        return Array(next.sorted { ($0.item.due ?? .max) < ($1.item.due ?? .max) }.prefix(limit))
    }

    package func write(
        _ changes: [LaterChange], most: Int
    ) throws(RoomStoreError) -> [Result<StoredLater, LaterRefusal>] {
        var outcomes = [Result<StoredLater, LaterRefusal>](repeating: .failure(.notWaiting), count: changes.count)
        for (part, store) in stores.enumerated() {
            let places = changes.indices.filter { self.part(of: changes[$0].user) == part }
            guard !places.isEmpty else { continue }
            let written = try store.write(places.map { changes[$0] }, most: most)
            for (place, outcome) in zip(places, written) { outcomes[place] = outcome }
        }
        return outcomes
    }

    package func blocks(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredBlock]] {
        var blocks: [UserName: [StoredBlock]] = [:]
        for (part, store) in stores.enumerated() {
            let users = users.filter { self.part(of: $0) == part }
            if !users.isEmpty { blocks.merge(try store.blocks(of: users)) { first, _ in first } }
        }
        return blocks
    }

    package func blockers(of user: UserName) throws(RoomStoreError) -> [UserName] {
        try stores[part(of: user)].blockers(of: user)
    }

    /// The part that has a person's profile decides, and the others follow. If one of them does not answer, the changes are
    /// to be written again.
    package func write(_ changes: [BlockChange], most: Int) throws(RoomStoreError) -> [Bool] {
        var accepted = [Bool](repeating: false, count: changes.count)
        for (part, store) in stores.enumerated() {
            let places = changes.indices.filter { self.part(of: changes[$0].user) == part }
            guard !places.isEmpty else { continue }
            for (place, isAccepted) in zip(places, try store.write(places.map { changes[$0] }, most: most)) {
                accepted[place] = isAccepted
            }
        }
        for (part, store) in stores.enumerated() {
            let copies = zip(changes, accepted).filter { self.part(of: $0.user) != part && $1 }.map(\.0)
            if !copies.isEmpty { _ = try store.write(copies, most: .max) }
        }
        return accepted
    }

    package func members(
        of room: RoomName, after user: UserName?, limit: Int
    ) throws(RoomStoreError) -> [RoomMember] {
        try store(of: room).members(of: room, after: user, limit: limit)
    }

    package func members(_ query: MembersQuery, of room: RoomName) throws(RoomStoreError) -> MembersReading {
        try store(of: room).members(query, of: room)
    }

    package func read(
        _ room: RoomName, tail: Int, since: Revision?, atMost: Int, standings: StandingScope
    ) throws(RoomStoreError) -> RoomReading {
        try store(of: room).read(room, tail: tail, since: since, atMost: atMost, standings: standings)
    }

    package func standing(of user: UserName, in room: RoomName) throws(RoomStoreError) -> Standing {
        try store(of: room).standing(of: user, in: room)
    }

    package func neighbours(
        of sort: UInt64, in room: RoomName, before: Int, after: Int
    ) throws(RoomStoreError) -> Neighbours {
        try store(of: room).neighbours(of: sort, in: room, before: before, after: after)
    }

    package func sort(of anchor: PagePlace.Anchor, in room: RoomName) throws(RoomStoreError) -> UInt64? {
        try store(of: room).sort(of: anchor, in: room)
    }

    package func held(_ query: HeldQuery, in room: RoomName) throws(RoomStoreError) -> HeldReading {
        try store(of: room).held(query, in: room)
    }

    package func rooms(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [RoomSummary] {
        var rooms: [RoomSummary] = []
        for store in stores { rooms += try store.rooms(after: name, limit: limit) }
        return Array(rooms.sorted { $1.name.follows($0.name) }.prefix(limit))
    }

    package func operations(
        _ room: RoomName, since: Revision, limit: Int
    ) throws(RoomStoreError) -> [CommittedOperation] {
        try store(of: room).operations(room, since: since, limit: limit)
    }

    package func trim(
        _ retention: Retention, part: Int, after room: RoomName?, at now: StoreMoment
    ) throws(RoomStoreError) -> Trimming {
        try stores[part].trim(retention, part: 0, after: room, at: now)
    }

    package func deliveries(part: Int) throws(RoomStoreError) -> (any Deliveries)? {
        try stores[part].deliveries(part: 0)
    }

    package func close() throws(RoomStoreError) {
        for store in stores { try store.close() }
    }

    package func audit(_ room: RoomName, before: Revision, limit: Int) throws(RoomStoreError) -> AuditPage {
        try store(of: room).audit(room, before: before, limit: limit)
    }
}

// MARK: - Other servers

extension ShardedStore: OtherServers {
    package var others: (any OtherServers)? { stores.contains { $0.others != nil } ? self : nil }

    package func listen(_ handler: @escaping @Sendable (News) -> Void) {
        for store in stores {
            store.others?.listen { [weak self, weak store] news in
                guard case .sent(let room, let messages, let epoch) = news else { return handler(news) }
                guard let self, let store else { return }
                // The epoch of the whole is of these messages if the store's is theirs before and after it was read.
                let whole = self.epoch
                if store.epoch == epoch {
                    handler(.sent(room, messages, of: whole))
                } else if let last = messages.last {
                    handler(.reached(room, last.row.rev))
                }
            }
        }
    }

    package func follow(_ room: RoomName, withPeople: Bool) {
        store(of: room).others?.follow(room, withPeople: withPeople)
    }

    package func leave(_ room: RoomName) {
        store(of: room).others?.leave(room)
    }

    package func announce(_ people: [Presence], in room: RoomName) {
        store(of: room).others?.announce(people, in: room)
    }

    package func agree(
        on fingerprint: UInt64, at revision: Revision, of room: RoomName
    ) throws(RoomStoreError) -> Bool {
        try store(of: room).others?.agree(on: fingerprint, at: revision, of: room) ?? true
    }

    package var detectsLostNews: Bool { stores.allSatisfy { $0.others?.detectsLostNews ?? true } }

    package func cancelWaiting() {
        for store in stores { store.others?.cancelWaiting() }
    }
}
