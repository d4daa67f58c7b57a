import ChatClient
import ChatWire
import CommandLineFlags
import WebSocketTransport

@testable import diffroom_load

/// A load of one reader and one writer without sockets. The test acts as the server.
struct Run {
    var load: Load
    /// The rows shown to the fresh reader at the end, instead of the true ones.
    var atTheEnd: (inout [Message]) -> Void = { _ in }
    /// The fault of the last diff's digest.
    var flaw: UInt32 = 0
    /// The number of a message that is withheld from the reader.
    var forgets: UInt64?
    /// The number of a message that the reader is told as a gap, with the next one.
    var leavesOut: UInt64?
    /// The reason for a snapshot that the reader receives once it has all messages.
    var startsOver: ServerFrame.SnapshotReason?
    /// The member's list of rooms at the end, instead of the true one.
    var listed: (inout [MyRoom]) -> Void = { _ in }
    /// The member's list of mentions at the end, instead of the true one.
    var mentioned: (inout [MyMention]) -> Void = { _ in }
    /// The member's list of rooms after the third message, instead of the true one.
    var listedOnTheWay: (inout [MyRoom]) -> Void = { _ in }

    private var rows: [Message] = []
    private let epoch = Epoch("e")!
    private var room: RoomName { load.options.room(0) }

    private enum Index {
        static let reader = 0
        static let writer = 1
        static let verifier = 2
    }

    /// - Parameter members: 1 if the reader is a member of its room.
    init(members: Int = 0, flags: [String] = []) throws {
        let arguments = "diffroom-load ws://h:1 --rooms 1 --subscribers 1 --rate 3 --duration 1 --settle 1 --seed 7"
        let words = arguments.split(separator: " ").map(String.init) + ["--inbox", "\(members)"] + flags
        let values = try program.parse(words, environment: [:])
        load = Load(try Options(values), part: Load.Part(index: 0, count: 1), now: 0)
    }

    static func row(_ id: UInt64, _ number: UInt64, text: String) -> Message {
        Message(
            id: MessageID(high: 0, low: id), section: .socket, sort: number, rev: number, author: UserName("w")!,
            time: 0, content: MessageContent(text))
    }

    /// All of it: three messages, then the end.
    mutating func play() {
        load.tick(at: 0)
        for index in [Index.reader, Index.writer] { welcome(index) }
        load.handle(Index.reader, .received(snapshot(rows)))
        if load.options.inbox > 0 {
            tellOfRooms([myRoom()], ref: 3)
            tellOfMentions([], ref: 4)
        }
        load.tick(at: 1)
        for time in stride(from: 400_000, through: 900_000, by: 100_000) as StrideThrough<Int64> {
            load.tick(at: time)
            for command in said { carryOut(command) }
        }
        if load.options.inbox > 0 {
            var list = [myRoom()]
            listedOnTheWay(&list)
            tellOfRooms(list, ref: nil)
            load.markRead(Index.reader)
        }
        if let startsOver { load.handle(Index.reader, .received(snapshot(rows, ref: nil, startsOver))) }
        load.tick(at: 1_100_000)
        welcome(Index.verifier)
        var shown = rows
        atTheEnd(&shown)
        load.handle(Index.verifier, .received(snapshot(shown)))
        if load.options.inbox > 0 {
            var list = [myRoom()]
            listed(&list)
            tellOfRooms(list, ref: nil)
            var mentions = myMentions()
            mentioned(&mentions)
            tellOfMentions(mentions, ref: nil)
        }
        load.tick(at: 1_200_000)
        load.tick(at: 3_000_000)
    }

    /// The writer's unanswered commands, in order.
    private var said: [Command] {
        load.unanswered.values.map(\.command).sorted { "\($0.action)" < "\($1.action)" }
    }

    private mutating func welcome(_ index: Int) {
        load.handle(index, .connected)
        let name = UserName("w")!
        let welcome = Welcome(user: name, server: "", heartbeat: 25_000, limits: WireLimits())
        load.handle(index, .received(.welcome(ref: 1, welcome)))
    }

    /// The member's row of its room as it must be.
    private func myRoom() -> MyRoom {
        let mark = load.clients[Index.reader].memberships[0].mark
        let mentions = rows.count { $0.sort > mark && $0.calls(reader) }
        let light = MyRoom.Light(
            unread: UInt64(rows.count) - mark, mentions: UInt64(mentions), read: mark,
            last: rows.last.map(LastMessage.init))
        return MyRoom(id: room, sort: UInt64(rows.count) + 1, rev: 1, light: light)
    }

    /// The member's list of mentions as it must be.
    private func myMentions() -> [MyMention] {
        let mark = load.clients[Index.reader].memberships[0].mark
        return rows.filter { $0.calls(reader) }.map {
            MyMention(
                id: MyMention.ID(room: room, message: $0.id), sort: $0.sort, rev: 1, author: $0.author, time: $0.time,
                light: MyMention.Light(text: LastMessage($0).text, isRead: $0.sort <= mark))
        }
    }

    private var reader: UserName { load.clients[Index.reader].user }

    private mutating func tellOfMentions(_ list: [MyMention], ref: UInt64?) {
        load.handle(Index.reader, .received(.snapshot(ref: ref, .myMentions, snapshot(list, ref: ref))))
    }

    private mutating func tellOfRooms(_ list: [MyRoom], ref: UInt64?) {
        load.handle(Index.reader, .received(.snapshot(ref: ref, .myRooms, snapshot(list, ref: ref))))
    }

    private func snapshot<Row>(_ list: [Row], ref: UInt64?) -> ServerFrame.Snapshot<Row> {
        let proof = ListProof(count: list.count, digest: ListDigest(list).value)
        let snapshot = ListSnapshot(revision: 1, rows: list, more: false, proof: proof)
        return .init(epoch: epoch, joined: 1, why: ref == nil ? .gone : .fresh, snapshot: snapshot)
    }

    private mutating func carryOut(_ command: Command) {
        guard case .send(let content) = command.action else { return }
        let number = UInt64(rows.count + 1)
        let row = Message(
            id: command.id, section: .socket, sort: number, rev: number, author: UserName("w")!, time: 0,
            content: content)
        rows.append(row)
        let list = ListName.messages(room)
        load.handle(Index.writer, .received(.ok(ref: number + 1, .init(list: list, revision: number))))
        guard number != forgets, number != leavesOut else { return }
        var proof = proof(rows)
        if number == 3 { proof = ListProof(count: proof.count, digest: proof.digest ^ flaw) }
        var diff = ListDiff(from: number - 1, to: number, insertions: [row], proof: proof)
        if number - 1 == leavesOut {
            diff.from = number - 2
            diff.ranges = [ListRange(0...diff.from), ListRange(number...UInt64.max)]
        }
        load.handle(Index.reader, .received(.diff(ref: nil, list, epoch, diff)))
    }

    private func snapshot(
        _ rows: [Message], ref: UInt64? = 2, _ why: ServerFrame.SnapshotReason = .fresh
    ) -> ServerFrame {
        let snapshot = ListSnapshot(
            revision: self.rows.last?.rev ?? 0, rows: rows, more: false, proof: proof(rows))
        let frame = ServerFrame.Snapshot<Message>(epoch: epoch, joined: 0, why: why, snapshot: snapshot)
        return .snapshot(ref: ref, .messages(room), frame)
    }

    private func proof(_ rows: [Message]) -> ListProof {
        ListProof(count: rows.count, digest: ListDigest(rows.suffix(ListDigest.window)).value)
    }
}
