import ChatWire
import Testing

@testable import diffroom_load

/// A member's lists, right and with one fault each.
@Suite struct RightListsTests {
    private let ann = UserName("ann")!
    private let lobby = RoomName("a")!
    private let tea = RoomName("b")!
    private let first = RoomName("c")!
    private let second = RoomName("d")!

    /// A message of a room, whose number is its sort key, and which was said as many milliseconds after 0.
    private func message(_ number: UInt64, at time: Milliseconds, for people: Mentioned = []) -> Message {
        Message(
            id: MessageID(high: 0, low: number), section: .socket, sort: number, rev: number, author: UserName("bob")!,
            time: time, content: MessageContent("number \(number)", mentions: people))
    }

    private var messages: [Message] {
        [message(1, at: 10, for: [ann]), message(2, at: 20), message(3, at: 30, for: [ann]), message(4, at: 40)]
    }

    /// Four rooms of a member, who has read one message in each. The later rooms are pinned.
    private var memberships: [Membership] {
        var memberships = [
            Membership(of: lobby, pin: nil), Membership(of: tea, pin: nil), Membership(of: first, pin: 2),
            Membership(of: second, pin: 1),
        ]
        for place in memberships.indices { memberships[place].mark = 1 }
        return memberships
    }

    private func right(hasOlder: Bool = false) -> RightLists {
        RightLists([
            lobby: .init(messages, hasOlder: hasOlder), tea: .init(messages + [message(5, at: 50)], hasOlder: false),
            first: .init(messages, hasOlder: false), second: .init(messages, hasOlder: false),
        ])
    }

    private var rooms: [MyRoom] {
        let last = LastMessage(messages[3])
        let light = MyRoom.Light(unread: 3, mentions: 1, read: 1, last: last)
        let later = MyRoom.Light(unread: 4, mentions: 1, read: 1, last: LastMessage(message(5, at: 50)))
        return [
            MyRoom(id: second, section: .pinned, sort: 1, rev: 1, light: light),
            MyRoom(id: first, section: .pinned, sort: 2, rev: 1, light: light),
            MyRoom(id: lobby, sort: 40, rev: 1, light: light), MyRoom(id: tea, sort: 50, rev: 1, light: later),
        ]
    }

    private var mentions: [MyMention] {
        let rows = [lobby, tea, first, second].flatMap { room in
            messages.filter { $0.calls(ann) }.map { message in
                MyMention(
                    id: MyMention.ID(room: room, message: message.id), sort: UInt64(message.time), rev: 1,
                    author: message.author, time: message.time,
                    light: MyMention.Light(text: message.text, isRead: message.sort == 1))
            }
        }
        return rows.sorted { $0.time < $1.time }
    }

    /// The spans of the messages, each of them acknowledged after some milliseconds.
    private func spans(answered delay: Int64 = 5) -> SendSpans {
        var spans = SendSpans()
        for message in messages + [message(5, at: 50)] {
            spans.recordSend(message.id, at: message.time)
            spans.recordAnswer(message.id, at: message.time + delay)
        }
        return spans
    }

    private func mistake(inRooms rows: [MyRoom]) -> String? {
        right().mistake(inRooms: rows, of: (ann, memberships))
            ?? right().mistake(inOrderOf: rows, of: (ann, memberships), spans())
    }

    private func mistake(inMentions rows: [MyMention]) -> String? {
        right().mistake(inMentions: rows, of: (ann, memberships), spans())
    }

    @Test func listsThatAreRightAreFoundRight() {
        #expect(mistake(inRooms: rooms) == nil)
        #expect(mistake(inMentions: mentions) == nil)
    }

    @Test func aRowThatIsWrongIsFound() {
        let flaws: [(inout MyRoom) -> Void] = [
            { $0.light.unread += 1 }, { $0.light.unread -= 1 }, { $0.light.mentions += 1 }, { $0.light.mentions = 0 },
            { $0.light.read = 2 }, { $0.light.last = nil }, { $0.section = .archived },
        ]
        for place in rooms.indices {
            for flaw in flaws {
                var rows = rooms
                flaw(&rows[place])

                #expect(mistake(inRooms: rows) != nil)
            }
            var rows = rooms
            rows.remove(at: place)
            #expect(mistake(inRooms: rows) != nil)
        }
    }

    @Test func roomsInAnotherOrderAreFound() {
        var (said, pinned) = (rooms, rooms)
        said[2].sort = 60
        pinned[0].sort = 3

        #expect(mistake(inRooms: said) == "a member's rooms do not stand by their last messages")
        #expect(mistake(inRooms: pinned) == "a member's pinned rooms stand in another order")
    }

    @Test func roomsWhoseMessagesWereUnderWayAtOnceMayStandInAnyOrder() {
        var rows = rooms
        rows[2].sort = 60

        #expect(right().mistake(inOrderOf: rows, of: (ann, memberships), spans(answered: 10)) == nil)
        #expect(right().mistake(inOrderOf: rows, of: (ann, memberships), spans(answered: 9)) != nil)
    }

    @Test func aRoomInWhichNothingWasSaidSinceTheJoinMayStandAnywhere() {
        var (rows, quiet) = (rooms, memberships)
        rows[2].sort = 60
        rows[2].light = MyRoom.Light(unread: 0, read: 9, last: rows[2].light.last)
        quiet[0].mark = 9

        #expect(right().mistake(inOrderOf: rows, of: (ann, quiet), spans()) == nil)
    }

    @Test func aMentionThatIsWrongIsFound() {
        let flaws: [(inout [MyMention]) -> Void] = [
            { $0.removeFirst() }, { $0.removeLast() }, { $0.append($0[7]) }, { $0.swapAt(0, 7) },
            { $0[0].light.text = "another" }, { $0[0].light.isRead = false }, { $0[7].light.isRead = true },
            { $0 += Array(repeating: $0[7], count: 100) },
        ]
        for flaw in flaws {
            var rows = mentions
            flaw(&rows)

            #expect(mistake(inMentions: rows) != nil)
        }
    }

    @Test func mentionsBeforeWhatIsKnownOfARoomAreNotJudged() {
        let rows = mentions.filter { $0.id.room != lobby || $0.time > 10 }

        #expect(mistake(inMentions: rows) != nil)
        #expect(right(hasOlder: true).mistake(inMentions: rows, of: (ann, memberships), spans()) == nil)
        #expect(right(hasOlder: true).mistake(inMentions: [], of: (ann, memberships), spans()) != nil)
    }

    @Test func mentionsInRoomsOfAnotherRunAreNotJudgedAndTakeTheirPlaces() {
        let others = (0..<96).map { number in
            MyMention(
                id: MyMention.ID(room: RoomName("other")!, message: MessageID(high: 1, low: UInt64(number))), sort: 25,
                rev: 1, author: UserName("bob")!, time: 25, light: MyMention.Light(text: "", isRead: false))
        }
        let newest = others + mentions.filter { $0.time > 25 }

        #expect(mistake(inMentions: mentions.filter { $0.time < 25 } + newest.suffix(5)) == nil)
        #expect(mistake(inMentions: newest) == nil)
    }

    @Test func aMentionThatCameAfterTheOldestOfAFullListIsNotMissing() {
        let others = (0..<95).map { number in
            MyMention(
                id: MyMention.ID(room: RoomName("other")!, message: MessageID(high: 1, low: UInt64(number))), sort: 25,
                rev: 1, author: UserName("bob")!, time: 25, light: MyMention.Light(text: "", isRead: false))
        }
        let (oldest, newest) = ([mentions[3]] + others, mentions.filter { $0.time > 25 })

        #expect(mistake(inMentions: oldest + newest) == nil)
        #expect(mistake(inMentions: oldest + [others[0]] + newest.suffix(3)) != nil)
    }
}
