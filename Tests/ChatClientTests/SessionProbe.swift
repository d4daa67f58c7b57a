import ChatClient
import ChatWire
import Replicas
import Testing

/// A session at a time, with its last effects in a form that tests can compare.
struct SessionProbe {
    enum Seen: Equatable {
        case connect
        case wantToken
        case send(UInt64, ClientFrame.Request)
        case disconnect(UInt16)
        case state(ConnectionState)
        case changed(RoomChange.Cause, inserted: [MessageID], deleted: [MessageID])
        case members([UserName], inserted: [UserName])
        case rooms(RoomChange.Cause, [RoomName], unread: UInt64)
        case mentions(RoomChange.Cause, [MyMention.ID], unread: Int)
        case people(RoomChange.Cause, [UserName])
        case answered(CommandID, Command.Outcome)
        case notice(SessionNotice)
    }

    var session: ClientSession
    var now: Milliseconds = 0

    static let user = UserName("ann")!
    static let room = RoomName("lobby")!
    static let list = ListName.messages(room)
    static let epoch = Epoch("epoch")!

    /// - Parameter credential: `nil` for a client with a token provider.
    init(pending: Int = 256, credential: ClientFrame.Credential? = .user(user)) {
        session = ClientSession(credential: credential, backoff: Backoff(seed: 1))
        limits.pending = pending
    }

    var limits = WireLimits()
    var welcome: Welcome { Welcome(user: Self.user, server: "test", heartbeat: 25_000, limits: limits) }

    @discardableResult
    mutating func tell(_ inputs: SessionInput...) -> [Seen] {
        inputs.flatMap { session.handle($0, at: now) }.map(Self.seen)
    }

    /// Advances the clock to `time` and sends a tick.
    mutating func tick(at time: Milliseconds) -> [Seen] {
        now = time
        return tell(.tick)
    }

    /// Connects again.
    ///
    /// - Returns: what the session does once the server has accepted the identity.
    mutating func reconnect() -> [Seen] {
        tell(.disconnected(.silent))
        _ = tick(at: session.deadline ?? now)
        guard case .send(let ref, .hello)? = tell(.connected).last else {
            Issue.record("no hello")
            return []
        }
        return tell(.received(.welcome(ref: ref, welcome)))
    }

    private static func seen(_ effect: SessionEffect) -> Seen {
        switch effect {
        case .connect: .connect
        case .wantToken: .wantToken
        case .send(let frame): .send(frame.ref, frame.request)
        case .disconnect(let code, _): .disconnect(code)
        case .state(let state): .state(state)
        case .changed(let change): seen(change)
        case .answered(let command, let outcome): .answered(command.id, outcome)
        case .notice(let notice): .notice(notice)
        }
    }

    private static func seen(_ change: any ListChange) -> Seen {
        switch change {
        case let change as RoomChange:
            .changed(change.cause, inserted: change.changes.inserted, deleted: change.changes.deleted)
        case let change as MembersChange:
            .members(change.view.members.map(\.id), inserted: change.changes.inserted)
        case let change as RoomsChange:
            .rooms(change.cause, change.view.rooms.map(\.id), unread: change.view.unread)
        case let change as MentionsChange:
            .mentions(change.cause, change.view.mentions.map(\.id), unread: change.view.unread)
        case let change as PeopleChange: .people(change.cause, change.view.people.map(\.id))
        default: preconditionFailure("\(change) is of no list here")
        }
    }

    // MARK: - Phases

    static func greeting() -> SessionProbe {
        var probe = SessionProbe()
        probe.tell(.start, .connected)
        return probe
    }

    static func ready(pending: Int = 256) -> SessionProbe {
        var probe = SessionProbe(pending: pending)
        probe.tell(.start, .connected)
        probe.tell(.received(.welcome(ref: 1, probe.welcome)))
        return probe
    }

    /// Following the room, with the messages 1, 2 and 3.
    static func live() -> SessionProbe {
        var probe = ready()
        probe.tell(.open(room, limit: 50), .received(snapshot(ref: 2, of: 1...3)))
        return probe
    }

    // MARK: - Frames

    static func id(_ number: UInt64) -> MessageID { MessageID(high: 0, low: number) }

    static func message(_ number: UInt64, rev: Revision? = nil, text: String = "") -> Message {
        Message(
            id: id(number), section: .socket, sort: number, rev: rev ?? number, author: user, time: 0,
            content: MessageContent(text.isEmpty ? "\(number)" : text))
    }

    static func proof(_ rows: [Message]) -> ListProof {
        ListProof(count: rows.count, digest: ListDigest(rows.suffix(ListDigest.window)).value)
    }

    static func snapshot(
        ref: UInt64?, of numbers: ClosedRange<UInt64>, epoch: Epoch = epoch, more: Int = 0,
        why: ServerFrame.SnapshotReason = .fresh
    ) -> ServerFrame {
        let rows = numbers.map { message($0) }
        var proof = proof(rows)
        proof = ListProof(count: rows.count + more, digest: proof.digest)
        let snapshot = ListSnapshot(revision: numbers.upperBound, rows: rows, more: more > 0, proof: proof)
        return .snapshot(
            ref: ref, list,
            ServerFrame.Snapshot(epoch: epoch, joined: numbers.upperBound, why: why, snapshot: snapshot))
    }

    /// Message `number` comes in after 1 to `number` - 1.
    static func news(_ number: UInt64, ref: UInt64? = nil, from: Revision? = nil, flaw: UInt32 = 0) -> ServerFrame {
        let rows = (1...number).map { message($0) }
        let base = from ?? number - 1
        let proof = proof(rows)
        let diff = ListDiff(
            from: base, to: number, insertions: rows.filter { $0.sort > base },
            proof: ListProof(count: proof.count, digest: proof.digest ^ flaw))
        return .diff(ref: ref, list, epoch, diff)
    }

    /// The messages with these numbers, of a room that has one for each revision from 1 on.
    static func page(_ keys: ClosedRange<UInt64>, at revision: Revision) -> ListPage<Message> {
        let rows = (max(1, keys.lowerBound)...keys.upperBound).map { message($0).inHistory }
        return ListPage(
            revision: revision, from: keys.lowerBound, to: keys.upperBound, rows: rows, more: keys.lowerBound > 0,
            newer: keys.upperBound < revision)
    }

    static func command(_ number: UInt64, _ action: RoomAction? = nil) -> Command {
        Command(id: id(number), room: room, action: action ?? .send("text \(number)"))
    }

    static func send(_ number: UInt64) -> ClientFrame.Request {
        .send(room: room, id: id(number), "text \(number)")
    }
}
