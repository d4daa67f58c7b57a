import ChatRoom
import ChatWire
import RoomStore

/// A person who searches, with the roles that their token grants at the time of asking.
struct Searcher: Sendable {
    /// `nil` for a client without a name.
    let user: UserName?
    /// The rooms whose messages the person follows now.
    var followed: [RoomName] = []
    let grant: @Sendable (RoomName) -> Role

    /// Searches the rooms that the request names, or else all that the person is a member of or follows.
    ///
    /// The rights are read before the messages, so that nothing is read for a person without them, and again after the
    /// messages: the results are those that the person may read when they are sent.
    func search(
        _ request: SearchRequest, in store: any RoomStore
    ) throws(RoomStoreError) -> Result<SearchReading, WireError> {
        let named = request.rooms
        for room in named {
            if let refusal = try refusal(in: room, store) { return .failure(refusal) }
        }
        var rooms = named
        if named.isEmpty {
            guard let user else { return .failure(.noRoomToSearch) }
            rooms = try store.places(of: user).filter { !$0.isHidden && mayRead($0) }.map(\.room)
            for room in Set(followed).subtracting(rooms) {
                if try refusal(in: room, store) == nil { rooms.append(room) }
            }
        }
        var threads: Set<RoomName> = []
        for room in rooms { threads.formUnion(try store.threads(of: room)) }
        rooms += threads.subtracting(rooms)
        var reading = try store.search(request.query, in: rooms, before: request.before, limit: request.limit)
        for room in named {
            if let refusal = try refusal(in: room, store) { return .failure(refusal) }
        }
        guard named.isEmpty else { return .success(reading) }
        var readable: [RoomName: Bool] = [:]
        for room in Set(reading.page.results.map(\.room)) {
            readable[room] = try refusal(in: room, store) == nil
        }
        reading.page.results.removeAll { readable[$0.room] != true }
        return .success(reading)
    }

    private func mayRead(_ place: MembershipPlace) -> Bool {
        place.kind == .member && place.standing.refusal(.read, in: place.room, granted: grant(place.room)) == nil
    }

    private func refusal(in room: RoomName, _ store: any RoomStore) throws(RoomStoreError) -> WireError? {
        var standing = Standing()
        if let user { standing = try store.standing(of: user, in: room) }
        return standing.refusal(.read, in: room, granted: grant(room))
    }
}

extension SearchReading {
    /// The bytes by which an answer is charged: its own, and those of the messages that were read for it.
    func cost(ofAnswer bytes: Int) -> Int { bytes + examined * Allowances.provenRowBytes }
}

extension WireError {
    fileprivate static let noRoomToSearch = WireError(
        .missing, "room: missing, must be the name of a room; a token would name the person whose rooms are searched",
        field: "room")
}
