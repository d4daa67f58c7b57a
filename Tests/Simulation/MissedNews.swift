import ChatRoom
import ChatServer
import ChatWire

/// The news of rooms that a sabotaged server withheld from its people.
struct MissedNews {
    private struct Place: Hashable {
        let room: RoomName
        let user: UserName
    }

    /// When a shard was last not told of a message in a room, since the store was asked of the room.
    private var lost: [Int: [RoomName: (message: Revision, time: Milliseconds)]] = [:]
    private var marks: [ReadMark] = []
    /// The store's last answer.
    private var readings: [Place: MembershipReading] = [:]
    private(set) var mentions: [UserName: [MentionReading]] = [:]

    mutating func lose(_ news: [RoomNews], of room: RoomName, to shard: Int, at time: Milliseconds) {
        for news in news { if case .inserted = news.change { lost[shard, default: [:]][room] = (news.revision, time) } }
    }

    mutating func lose(_ marks: [ReadMark]) { self.marks += marks }

    mutating func note(_ readings: [MembershipReading], of room: RoomName? = nil) {
        for reading in readings { self.readings[Place(room: reading.room, user: reading.user)] = reading }
        guard let room else { return }
        for shard in lost.keys { lost[shard]?[room] = nil }
    }

    mutating func note(_ mentions: [MentionReading], of user: UserName) { self.mentions[user] = mentions }

    /// True if a shard was not told of the last message, sent after a given time.
    func hasLost(_ last: Message?, of room: RoomName, onShard shard: Int, since time: Milliseconds) -> Bool {
        lost[shard]?[room].map { $0.message == last?.sort && $0.time > time } ?? false
    }

    func hasLostMark(of user: UserName, in room: RoomName, above read: Revision, upTo mark: Client.Mark?) -> Bool {
        marks.contains {
            $0.room == room && $0.user == user && $0.revision > read && $0.revision <= mark?.revision ?? 0
        }
    }

    /// The store's last count of a person's mentions; the person has had this read mark since.
    func mentions(of user: UserName, in room: RoomName, above read: Revision) -> Int? {
        readings[Place(room: room, user: user)].flatMap { $0.read == read ? $0.mentions : nil }
    }
}
