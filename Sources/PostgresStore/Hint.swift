import ChatRoom
import ChatWire

/// News of one server for the others, as the payload of a notification.
///
/// - Shape: a letter for the kind, a space, the server, a line feed, and lines. A line is `ROOM TAB REVISION` for
///   reached revisions, and `ROOM TAB NAME TAB FLAGS TAB REVISION` for people, with the flags `h` for here and `t` for
///   typing. A question has a line `ROOM` for each room, and none for all rooms.
///   Commits of which all news was sent have a line `LANE TAB FIRST TAB LAST` for each lane.
///   Changed profiles and changed memberships have a line `NAME` for each person. A sign of life has no lines. A
///   question to one server alone names that server after the own name and a space, and is about all rooms. No name
///   contains a tab or a line feed. At most 7,900 bytes: PostgreSQL carries less than 8,000.
enum Hint: Equatable {
    case reached([RoomName: Revision])
    case present([RoomName: [Presence]])
    case asked([RoomName]?)
    case askedOne(ServerID)
    case profiled([UserName])
    /// These people's memberships or read marks.
    case moved([UserName])
    /// The sender has sent all news of these commits, for each of its lanes.
    case committed([Int: ClosedRange<Int64>])
    case alive

    private static let longest = 7_900

    private var letter: Character {
        switch self {
        case .reached: "r"
        case .present: "p"
        case .asked, .askedOne: "a"
        case .profiled: "n"
        case .moved: "m"
        case .committed: "c"
        case .alive: "h"
        }
    }

    private var lines: [String] {
        switch self {
        case .reached(let revisions): revisions.map { "\($0)\t\($1)" }
        case .present(let rooms):
            rooms.flatMap { room, people in
                people.map { person in
                    let flags = (person.isHere ? "h" : "") + (person.isTyping ? "t" : "")
                    return "\(room)\t\(person.name)\t\(flags)\t\(person.read)"
                }
            }
        case .asked(let rooms): (rooms ?? []).map(\.description)
        case .profiled(let users), .moved(let users): users.map(\.description)
        case .committed(let counts): counts.map { "\($0)\t\($1.lowerBound)\t\($1.upperBound)" }
        case .askedOne, .alive: []
        }
    }

    /// Returns the payloads, as many as the news needs.
    func payloads(from server: ServerID) -> [String] {
        let target = if case .askedOne(let other) = self { " \(other)" } else { "" }
        let head = "\(letter) \(server)\(target)"
        var payloads = [head]
        for line in lines {
            if payloads[payloads.count - 1].utf8.count + line.utf8.count >= Self.longest { payloads.append(head) }
            payloads[payloads.count - 1] += "\n" + line
        }
        return payloads
    }

    /// Returns the sender and the news; `nil` for an unknown payload.
    static func read(_ payload: String) -> (ServerID, Hint)? {
        let lines = payload.split(separator: "\n")
        let head = lines.first?.split(separator: " ") ?? []
        guard (2...3).contains(head.count), let server = ServerID(String(head[1])) else { return nil }
        let fields = lines.dropFirst().map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
        switch head[0] {
        case "r": return (server, .reached(revisions(fields)))
        case "p": return (server, .present(people(fields)))
        case "a" where head.count == 3:
            return ServerID(String(head[2])).map { (server, .askedOne($0)) }
        case "a":
            let rooms = fields.compactMap { RoomName(known: String($0[0])) }
            return (server, .asked(rooms.isEmpty ? nil : rooms))
        case "n": return (server, .profiled(users(fields)))
        case "m": return (server, .moved(users(fields)))
        case "c": return (server, .committed(counts(fields)))
        case "h": return (server, .alive)
        default: return nil
        }
    }

    private static func counts(_ lines: [[Substring]]) -> [Int: ClosedRange<Int64>] {
        var counts: [Int: ClosedRange<Int64>] = [:]
        for line in lines where line.count == 3 {
            guard let lane = Int(line[0]), let first = Int64(line[1]), let last = Int64(line[2]),
                0 <= first, first <= last, last < Int64(WireInteger.limit)
            else { continue }
            counts[lane] = first...last
        }
        return counts
    }

    private static func users(_ lines: [[Substring]]) -> [UserName] {
        lines.compactMap { UserName(known: String($0[0])) }
    }

    /// Returns a revision that clients can read; `nil` for any other text.
    private static func revision(_ text: Substring) -> Revision? {
        Revision(text).flatMap { $0 < WireInteger.limit ? $0 : nil }
    }

    private static func revisions(_ lines: [[Substring]]) -> [RoomName: Revision] {
        var revisions: [RoomName: Revision] = [:]
        for line in lines where line.count == 2 {
            guard let room = RoomName(known: String(line[0])), let revision = revision(line[1]) else { continue }
            revisions[room] = revision
        }
        return revisions
    }

    private static func people(_ lines: [[Substring]]) -> [RoomName: [Presence]] {
        var rooms: [RoomName: [Presence]] = [:]
        for line in lines where line.count == 4 {
            guard let room = RoomName(known: String(line[0])), let name = UserName(known: String(line[1])),
                let read = revision(line[3])
            else { continue }
            let presence = Presence(
                name: name, isHere: line[2].contains("h"), isTyping: line[2].contains("t"), read: read)
            rooms[room, default: []].append(presence)
        }
        return rooms
    }
}
