import ChatRoom
import ChatWire
import Replicas
import TestSupport
import Testing

/// A text that grows reaches every reader byte by byte, however it is cut and however long the reader was away.
struct GrowthLawTests {
    private static let epoch = Epoch("e")!
    private static let ann = UserName("ann")!
    private static let row = MessageID(high: 0, low: 1)

    /// A text of characters of one to four bytes.
    private static func text(using random: inout SplitMix64) -> [Unicode.Scalar] {
        (0..<Int.random(in: 1...400, using: &random)).map { _ in
            ["a", " ", "\n", "é", "日", "👍", "\u{301}"].randomElement(using: &random)!
        }
    }

    private static func operation(_ number: UInt64, _ action: RoomAction, id: MessageID? = nil) -> Operation {
        let command = id ?? CommandID(high: 1, low: number)
        return Operation(command: command, author: ann, role: .write, time: 1, action: action)
    }

    /// Ten thousand cuts in all.
    @Test(arguments: UInt64(0)..<100)
    func everyReaderHoldsTheTextAndGetsOnlyWhatItLacks(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let text = Self.text(using: &random)
        let nothing = RoomReading(revision: 0, count: 0, tail: [], changes: .none, rules: RoomRules(of: .open))
        var timeline = RoomTimeline(nothing, changesSince: nil)
        var message = Message(
            id: Self.row, section: .socket, sort: 1, rev: 1, author: Self.ann, time: 1,
            content: MessageContent("", growth: .open))
        timeline.apply(.inserted(message, at: 1), at: 1)
        var readers = try (0..<5).map { _ in try replica(of: timeline) }

        var place = 0
        while message.content.growth == .open {
            let isOver = place == text.count
            let piece = text[place..<min(text.count, place + Int.random(in: 1...8, using: &random))]
            place += piece.count
            let added = String(String.UnicodeScalarView(piece))
            let step = isOver ? GrowthStep.close(.stopped) : .append(added, at: message.text.utf8.count)
            message.content = try #require(message.content.grown(by: step))
            message.rev += 1
            timeline.apply(.reloaded(message), at: message.rev)
            if Int.random(in: 0..<6, using: &random) == 0 {
                message.light.reactions = message.reactions.isEmpty ? [Reaction(emoji: "👍", users: [Self.ann])] : []
                message.rev += 1
                timeline.apply(.reconfigured(message), at: message.rev)
            }
            for index in readers.indices where isOver || Int.random(in: 0..<4, using: &random) == 0 {
                try bring(&readers[index], to: timeline)
            }
        }

        let whole = String(String.UnicodeScalarView(text))
        for reader in readers {
            let row = try #require(reader[Self.row])
            #expect(row == message)
            #expect(Array(row.text.utf8) == Array(whole.utf8))
        }
    }

    private func replica(of timeline: RoomTimeline) throws -> Replica<Message> {
        let snapshot = try #require(timeline.snapshot(limit: 50))
        return try Replica(ServerFrame.Snapshot(epoch: Self.epoch, joined: 0, why: .fresh, snapshot: snapshot))
    }

    private func bring(_ reader: inout Replica<Message>, to timeline: RoomTimeline) throws {
        let before = try #require(reader[Self.row])
        let diff = try #require(timeline.diff(since: reader.revision))
        // As the bytes of a frame, because a piece may end within what a person sees as one character.
        let sent = ServerFrame.diff(ref: nil, .messages(RoomName("lobby")!), Self.epoch, diff)
        let frame = try ServerFrame(json: sent.json)
        guard case .diff(_, _, _, let read as ListDiff<Message>) = frame else {
            Issue.record("\(frame)")
            return
        }
        try reader.apply(read, epoch: Self.epoch)
        let lacked = try #require(reader[Self.row]).text.utf8.count - before.text.utf8.count
        let added = read.patches.reduce(0) { $0 + ($1.patch.growth?.added.utf8.count ?? 0) }
        #expect(added == lacked && read.reloads.isEmpty)
    }
}
