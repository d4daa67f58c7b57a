import ChatRoom
import ChatWire

/// News of one server for the others, as the payload of a notification.
///
/// - Shape: a letter for the kind, a space, the server, a line feed, and lines. A line is `ROOM TAB REVISION` for
///   reached revisions, and `ROOM TAB NAME TAB FLAGS TAB REVISION` for people, with the flags `h` for here and `t` for
///   typing. A question has a line `ROOM` for each room, and none for all rooms.
///   Messages have the epoch after the server and a space, and a line `ROOM TAB INSTANT TAB JSON` for each that is not too
///   long.
///   Commits of which all news was sent have a line `LANE TAB FIRST TAB LAST` for each lane.
///   Changed profiles and changed memberships have a line `NAME` for each person, and the people whose places or roles in
///   rooms have changed a line `ROOM TAB NAME`. A sign of life has no lines. A
///   question to one server alone names that server after the own name and a space, and is about all rooms. No name
///   contains a tab or a line feed. At most 7,900 bytes: PostgreSQL carries less than 8,000.
enum Announcement: Equatable {
    case reached([RoomName: Revision])
    /// New messages in this epoch, those of a room in the order of their revisions.
    case sent([RoomName: [InsertedMessage]], of: Epoch)
    case present([RoomName: [Presence]])
    case presenceRequested([RoomName]?)
    case presenceRequestedFrom(ServerID)
    case rewritten([UserName])
    /// These people's memberships or read marks.
    case membershipsChanged([UserName])
    /// The people whose memberships, invitations or roles in a room have changed.
    case affiliatesChanged([RoomName: Set<UserName>])
    /// The sender has sent all news of these commits, for each of its lanes.
    case committed([Int: ClosedRange<Int64>])
    case alive

    private static let longest = 7_900
    /// Longer messages are read.
    private static let longestMessage = 4_000

    private var letter: Character {
        switch self {
        case .reached: "r"
        case .sent: "s"
        case .present: "p"
        case .presenceRequested, .presenceRequestedFrom: "a"
        case .rewritten: "n"
        case .membershipsChanged: "m"
        case .affiliatesChanged: "b"
        case .committed: "c"
        case .alive: "h"
        }
    }

    private var lines: [String] {
        switch self {
        case .reached(let revisions): revisions.map { "\($0)\t\($1)" }
        case .sent(let rooms, _):
            rooms.flatMap { room, messages in
                messages.map { "\(room)\t\($0.instant)\t\(String(decoding: $0.row.json, as: UTF8.self))" }
            }.filter { $0.utf8.count <= Self.longestMessage }
        case .present(let rooms):
            rooms.flatMap { room, people in
                people.map { person in
                    let flags = (person.isHere ? "h" : "") + (person.isTyping ? "t" : "")
                    return "\(room)\t\(person.name)\t\(flags)\t\(person.read)"
                }
            }
        case .presenceRequested(let rooms): (rooms ?? []).map(\.description)
        case .rewritten(let users), .membershipsChanged(let users): users.map(\.description)
        case .affiliatesChanged(let rooms): rooms.flatMap { room, users in users.map { "\(room)\t\($0)" } }
        case .committed(let counts): counts.map { "\($0)\t\($1.lowerBound)\t\($1.upperBound)" }
        case .presenceRequestedFrom, .alive: []
        }
    }

    /// Returns the payloads, as many as the news needs.
    func payloads(from server: ServerID) -> [String] {
        let target =
            switch self {
            case .presenceRequestedFrom(let other): " \(other)"
            case .sent(_, let epoch): " \(epoch)"
            case .reached, .present, .presenceRequested, .rewritten, .membershipsChanged, .affiliatesChanged,
                .committed,
                .alive:
                ""
            }
        let head = "\(letter) \(server)\(target)"
        var payloads = [head]
        for line in lines {
            if payloads[payloads.count - 1].utf8.count + line.utf8.count >= Self.longest { payloads.append(head) }
            payloads[payloads.count - 1] += "\n" + line
        }
        return payloads
    }

    /// Returns whether the payload is this server's own.
    static func isOwn(_ payload: String, of server: ServerID) -> Bool {
        payload.utf8.dropFirst(2).starts(with: server.description.utf8)
    }

    /// Returns the sender and the news; `nil` for an unknown payload.
    static func read(_ payload: String) -> (ServerID, Announcement)? {
        if payload.utf8.starts(with: "s ".utf8) { return readSent(Array(payload.utf8)) }
        let lines = payload.split(separator: "\n")
        let head = lines.first?.split(separator: " ") ?? []
        guard (2...3).contains(head.count), let server = ServerID(String(head[1])) else { return nil }
        let fields = lines.dropFirst().map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
        switch head[0] {
        case "r": return (server, .reached(revisions(fields)))
        case "p": return (server, .present(people(fields)))
        case "a" where head.count == 3:
            return ServerID(String(head[2])).map { (server, .presenceRequestedFrom($0)) }
        case "a":
            let rooms = fields.compactMap { RoomName(known: String($0[0])) }
            return (server, .presenceRequested(rooms.isEmpty ? nil : rooms))
        case "n": return (server, .rewritten(users(fields)))
        case "m": return (server, .membershipsChanged(users(fields)))
        case "b": return (server, .affiliatesChanged(affiliates(fields)))
        case "c": return (server, .committed(counts(fields)))
        case "h": return (server, .alive)
        default: return nil
        }
    }

    /// Reads bytes, as characters would take much longer in long texts.
    private static func readSent(_ payload: [UInt8]) -> (ServerID, Announcement)? {
        let lines = payload.split(separator: UInt8(ascii: "\n"))
        let head = lines.first?.split(separator: UInt8(ascii: " "), maxSplits: 2) ?? []
        guard head.count == 3, let server = ServerID(String(decoding: head[1], as: UTF8.self)),
            let epoch = Epoch(String(decoding: head[2], as: UTF8.self))
        else { return nil }
        var rooms: [RoomName: [InsertedMessage]] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: UInt8(ascii: "\t"), maxSplits: 2)
            guard parts.count == 3, let room = RoomName(known: String(decoding: parts[0], as: UTF8.self)),
                let instant = Milliseconds(String(decoding: parts[1], as: UTF8.self)),
                let message = try? Message(json: Array(parts[2]), in: .socket),
                message.isNew, (rooms[room]?.last?.row.rev ?? 0) < message.rev
            else { continue }
            rooms[room, default: []].append(InsertedMessage(message, at: instant))
        }
        return (server, .sent(rooms, of: epoch))
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

    private static func affiliates(_ lines: [[Substring]]) -> [RoomName: Set<UserName>] {
        var rooms: [RoomName: Set<UserName>] = [:]
        for line in lines where line.count == 2 {
            guard let room = RoomName(known: String(line[0])), let user = UserName(known: String(line[1])) else {
                continue
            }
            rooms[room, default: []].insert(user)
        }
        return rooms
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

extension Message {
    /// False for a row that was changed since its message was sent.
    fileprivate var isNew: Bool {
        rev == sort && 0 < rev && rev < WireInteger.limit && edited == nil && reactions.isEmpty
    }
}
