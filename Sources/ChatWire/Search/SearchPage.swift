/// A request to search messages.
public struct SearchRequest: Equatable, Sendable {
    /// The query as a person has written it.
    public let text: String
    public let query: SearchQuery
    /// The room that is searched; `nil` for all rooms of the person.
    public let room: RoomName?
    /// The place from which to go on to older messages; `nil` for the newest.
    public let before: SearchPlace?
    /// The greatest number of results.
    public let limit: Int

    /// The greatest number of results of one answer.
    public static let mostResults = 100
    /// The number of results where a request names none.
    public static let usualResults = 20

    /// - Throws: `bad_request` for a query with a fault.
    public init(
        _ text: String, room: RoomName? = nil, before: SearchPlace? = nil, limit: Int = usualResults
    ) throws(WireError) {
        (self.text, self.room, self.before, self.limit) = (text, room, before, limit)
        query = try SearchQuery(text)
        guard let room, query.rooms.contains(where: { $0 != room }) else { return }
        throw WireError(.invalid, "query: in: names another room than `room`: send one of the two", field: "query")
    }

    /// The rooms that the request names; empty for all rooms of the person.
    public var rooms: [RoomName] { room.map { [$0] } ?? query.rooms }
}

/// A message's place among those of all rooms: later times first, and at one time by room and sort key.
public struct SearchPlace: Equatable, Sendable {
    public let time: Milliseconds
    public let room: RoomName
    public let sort: UInt64

    public init(time: Milliseconds, room: RoomName, sort: UInt64) {
        (self.time, self.room, self.sort) = (time, room, sort)
    }

    /// Returns whether results at this place come before those at another one.
    public func isNewer(than other: SearchPlace) -> Bool {
        if time != other.time { return time > other.time }
        if room != other.room { return other.room < room }
        return sort > other.sort
    }
}

/// A message that matches a query.
public struct SearchResult: Equatable, Sendable {
    public let room: RoomName
    public let row: Message
    /// The matches in the row's text, in Unicode scalars. See ``SearchQuery/matches(in:)``.
    public let matches: [Range<Int>]

    public init(room: RoomName, row: Message, matches: [Range<Int>]) {
        (self.room, self.row, self.matches) = (room, row, matches)
    }

    public var place: SearchPlace { SearchPlace(time: row.time, room: room, sort: row.sort) }
}

/// The results of a search, newest first.
public struct SearchPage: Equatable, Sendable {
    public var results: [SearchResult]
    /// The place from which the search goes on; `nil` when everything was searched. A server may search in part only: then
    /// there are fewer results than the limit, and a place.
    public var before: SearchPlace?

    public init(results: [SearchResult], before: SearchPlace?) {
        (self.results, self.before) = (results, before)
    }
}
