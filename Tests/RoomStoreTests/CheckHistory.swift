import ChatRoom
import ChatWire
import RoomStore
import TestSupport

/// Random histories of open, private and direct rooms.
enum CheckHistory {
    static let people = ["ann", "bob", "cid", "dan"].map { UserName($0)! }
    static let secret = RoomName(privateRoomOf: id(1))
    static let pair = RoomName("@00112233445566778899aabbccddeeff")!
    static let rooms = [lobby, secret, pair]

    static let creation: [RoomOperation] = [
        .act(1, .create(.private(people: [people[1], people[2]])), by: people[0], in: secret),
        .act(2, .create(.direct(people: [people[1]])), by: people[0], in: pair),
        .act(3, .join, by: people[1], in: secret),
    ]

    /// A day's operations, with read marks between.
    static func day(_ round: Int, using random: inout SplitMix64) -> [BatchEntry] {
        let first = UInt64(round) * 40 + 100
        return (0..<UInt64.random(in: 0...30, using: &random)).map { number in
            let (room, author) = (rooms.randomElement(using: &random)!, people.randomElement(using: &random)!)
            if Int.random(in: 0..<8, using: &random) == 0 {
                return .mark(ReadMark(room: room, user: author, revision: .random(in: 0...80, using: &random)))
            }
            let recent = id(UInt64.random(in: first - 40...first + number, using: &random))
            if let entry = threadEntry(first + number, about: recent, in: room, by: author, using: &random) {
                return .operation(entry.later(by: Int64(round) * Retention.day))
            }
            let action = action(about: recent, using: &random)
            let operation = RoomOperation.act(first + number, action, by: author, as: .own, in: room)
            return .operation(operation.later(by: Int64(round) * Retention.day))
        }
    }

    /// Now and then a reply, or what the server says about the replies.
    private static func threadEntry(
        _ number: UInt64, about message: MessageID, in room: RoomName, by author: UserName,
        using random: inout SplitMix64
    ) -> RoomOperation? {
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
            let content = MessageContent("reply", mentions: HistoryTests.mentions(using: &random))
            return .act(number, .send(content), by: author, in: room.thread(of: message))
        case 2:
            let change = HistoryTests.settings(using: &random)
            let action = [RoomAction.join, .join, .leave, .settings(change)].randomElement(using: &random)!
            return .act(number, action, by: author, in: room.thread(of: message))
        case 1:
            let entry = RoomOperation.act(number, .summarize(message, nil), by: .server, as: .own, in: room)
            var operation = entry.operation
            operation.requester = .service
            return RoomOperation(room: room, operation: operation)
        default: return nil
        }
    }

    private static func action(about message: MessageID, using random: inout SplitMix64) -> RoomAction {
        let text = ["one", "two", "three"].randomElement(using: &random)!
        switch Int.random(in: 0..<26, using: &random) {
        case 0..<6:
            let growth: Growth? = Bool.random(using: &random) ? .open : nil
            return .send(
                MessageContent(
                    text, mentions: HistoryTests.mentions(using: &random), data: AppData(#"{"kind":"q"}"#),
                    growth: growth))
        case 22...: return .grow(message, HistoryTests.step(using: &random))
        case 6: return .edit(message, ContentEdit(text, mentions: HistoryTests.mentions(using: &random)))
        case 7: return .edit(message, ContentEdit(data: AppData("{}")))
        case 8: return .delete(message)
        case 9, 10:
            let emoji = ["👍", "👎"].randomElement(using: &random)!
            return .react(message, emoji: emoji, Bool.random(using: &random) ? .on : .off)
        case 11, 12: return .join
        case 13: return .leave
        case 14: return .settings(HistoryTests.settings(using: &random))
        case 15: return .settings(SettingsChange(unreadFrom: .random(in: 1...60, using: &random)))
        default: return .moderate(moderation(using: &random))
        }
    }

    private static func moderation(using random: inout SplitMix64) -> Moderation {
        let user = people.randomElement(using: &random)!
        switch Int.random(in: 0..<18, using: &random) {
        case 12: return .unpin(id(.random(in: 1...9, using: &random)))
        case 13...:
            return .pin(id(.random(in: 1...9, using: &random)), HistoryTests.pinPlace(among: 1...9, using: &random))
        case 0: return .mute(user, for: .random(in: 1...9, using: &random))
        case 1: return .unmute(user)
        case 2: return .kick(user)
        case 3: return .ban(user)
        case 4, 5: return .unban(user)
        case 6: return .slowMode([0, 1].randomElement(using: &random)!)
        case 7: return .readOnly(.off)
        case 8: return .appoint(user, [.none, .read, .write, .own].randomElement(using: &random)!)
        case 9, 10: return .invite(user)
        default: return .topic(Bool.random(using: &random) ? RoomTopic("a topic") : nil)
        }
    }

    /// Commits a random history to a store, and trims it now and then.
    static func fill(_ store: any RoomStore, days: Int = 8, using random: inout SplitMix64) throws {
        _ = try store.commit(creation)
        for round in 0..<days {
            _ = try store.commit(inOrder: day(round, using: &random))
            guard Bool.random(using: &random) else { continue }
            let messages = Bool.random(using: &random) ? Int.random(in: 2...9, using: &random) : nil
            let retention = Retention(
                .init(messages: messages), resumeTime: Int64.random(in: 1...3, using: &random) * Retention.day)
            try store.trim(retention, at: Int64(round) * Retention.day + 2_000)
        }
    }
}
