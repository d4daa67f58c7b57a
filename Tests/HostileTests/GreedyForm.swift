import ChatWire
import Foundation

/// What a greedy connection sends: each kind of request, with each list, limit and resume that it may name.
enum GreedyForm: CaseIterable, Sendable {
    /// The lobby's messages, with another limit each time.
    case limits
    /// The same, as one who returns and holds ranges.
    case ranges
    /// As many lists of rooms as a connection may have, of rooms that nobody else reads.
    case rooms
    /// The lists of one's own, as one who names as many rows as a frame has space for.
    case rows
    /// All the people that one may ask for.
    case people
    /// Pages from every side, also of mentions and of the audit log.
    case pages
    /// Every command, with as much text as it may have.
    case commands
    /// Drafts of many rooms, as long as they may be.
    case drafts
    /// Messages for later, as many and as long as they may be.
    case later
    /// Blocks of many users with long names.
    case blocks
    /// What opens and leaves again before there is an answer.
    case changes

    /// - Parameters:
    ///   - connection: the number of the connection that sends them.
    ///   - epoch: the lobby's.
    func frames(of connection: Int, in epoch: Epoch) -> [ClientFrame] {
        requests(of: connection, in: epoch).enumerated().map { ClientFrame(ref: UInt64($0 + 2), request: $1) }
    }

    private static let lobby = RoomName("lobby")!
    private static let held = (0..<900).map { Resume.HeldRow(id: "room-\($0)", tag: .random()) }
    private static let lists: [ListName] = [
        .messages(lobby), .members(lobby), .myRooms, .myThreads, .myMentions, .myPeople, .myDrafts,
        .myLater, .myBlocked,
    ]

    private func requests(of connection: Int, in epoch: Epoch) -> [ClientFrame.Request] {
        switch self {
        case .limits: (0..<256).map { .subscribe(.messages(Self.lobby), limit: 500 - $0, resume: nil) }
        case .ranges: (0..<200).map { Self.returning($0, in: epoch) }
        case .rooms: (0..<64).flatMap { Self.subscribes(toRoom: RoomName("room-\(connection)-\($0)")!) }
        case .rows: (0..<2).flatMap { Self.subscribesWithRows(limit: 500 - $0) }
        case .people: Self.people(of: connection)
        case .drafts: Self.drafts(of: connection)
        case .later: Self.later()
        case .blocks: Self.blocks(of: connection)
        case .pages: (0..<30).flatMap { Self.pages(UInt64($0)) }
        case .commands: Self.commands(of: connection)
        case .changes: (0..<60).flatMap { Self.changes(limit: 500 - $0) }
        }
    }

    private static func returning(_ number: Int, in epoch: Epoch) -> ClientFrame.Request {
        let starts = (0..<16).map { UInt64($0) * 30 }
        let ranges: [SortKeys] = starts.map { $0...($0 == 450 ? 500 : $0 + 20) }
        let resume = Resume(
            epoch: number % 4 == 0 ? Epoch("other")! : epoch, revision: 500, joined: 0,
            ranges: number % 2 == 0 ? ranges : nil, at: 40)
        return .subscribe(.messages(lobby), limit: 500 - number, resume: resume)
    }

    private static func subscribes(toRoom room: RoomName) -> [ClientFrame.Request] {
        [.subscribe(.messages(room), limit: 500, resume: nil), .subscribe(.members(room), limit: 500, resume: nil)]
    }

    private static func subscribesWithRows(limit: Int) -> [ClientFrame.Request] {
        let resume = Resume(epoch: Epoch("other")!, revision: 9, joined: 0, rows: held)
        return lists.map { .subscribe($0, limit: limit, resume: resume) }
    }

    private static func people(of connection: Int) -> [ClientFrame.Request] {
        let questions = (0..<10).map { part in
            ClientFrame.Request.people((0..<200).map { UserName("somebody-\(connection)-\(part)-\($0)")! })
        }
        let subscribe = ClientFrame.Request.subscribe(.myPeople, limit: 50, resume: nil)
        return [subscribe] + questions + [subscribe]
    }

    private static func drafts(of connection: Int) -> [ClientFrame.Request] {
        let long = MessageContent(String(repeating: "x", count: 8_192))
        let stores = (0..<120).map { ClientFrame.Request.draft(RoomName("room-\(connection)-\($0)")!, long) }
        let subscribe = ClientFrame.Request.subscribe(.myDrafts, limit: 50, resume: nil)
        return [subscribe] + stores + [subscribe]
    }

    private static func later() -> [ClientFrame.Request] {
        let tomorrow = Milliseconds(Date.now.timeIntervalSince1970 * 1_000) + 86_400_000
        let long = LaterItem.Action.send(MessageContent(String(repeating: "x", count: 8_192)))
        let plan = LaterItem.Plan(long, in: lobby, at: tomorrow)
        let stores = (0..<120).map { _ in ClientFrame.Request.later(.random(), plan) }
        let subscribe = ClientFrame.Request.subscribe(.myLater, limit: 50, resume: nil)
        return [subscribe] + stores + [subscribe]
    }

    private static func blocks(of connection: Int) -> [ClientFrame.Request] {
        let long = String(repeating: "x", count: 50)
        let stores = (0..<120).map { ClientFrame.Request.block(UserName("\(long)-\(connection)-\($0)")!, .on) }
        let subscribe = ClientFrame.Request.subscribe(.myBlocked, limit: 50, resume: nil)
        return [subscribe] + stores + [subscribe]
    }

    private static let links = LinksRequest(
        room: lobby, files: (0..<LinksRequest.most).map { _ in FilePlace(message: .random(), file: .random()) })

    private static let upload: UploadRequest = {
        let digest = String(repeating: "0a", count: 32)
        guard let file = FileDescription(name: "x", media: "a/b", size: 1, sha256: digest) else {
            preconditionFailure("a file without a fault")
        }
        return UploadRequest(room: lobby, message: .random(), file: file)
    }()

    private static let search: SearchRequest = {
        // The beginning of each message, so that each search reads all that it may.
        guard let search = try? SearchRequest("xx*", room: lobby, limit: SearchRequest.mostResults) else {
            preconditionFailure("a beginning is a query")
        }
        return search
    }()

    private static func pages(_ number: UInt64) -> [ClientFrame.Request] {
        let mention = MentionPlace(id: MyMention.ID(room: lobby, message: .random()), time: 1 << 50)
        let places: [PagePlace] = [
            .before(500 + number), .after(number), .between(after: 0, before: 500 - number),
            .around(.revision(250 + number)),
        ]
        let pages = places.map { ClientFrame.Request.page(.messages(lobby), $0, limit: 500) }
        let others: [ClientFrame.Request] = [
            .subscribe(.myMentions, limit: 50, resume: nil), .mentionsPage(before: mention, limit: 100),
            .audit(lobby, before: 1 << 40, limit: 500), .search(search), .links(links),
            .upload(upload), .membersPage(lobby, MembersSearch("nobody", limit: 500)),
            .membersPage(lobby, MembersSearch(limit: 500)),
        ]
        return pages + others
    }

    private static func changes(limit: Int) -> [ClientFrame.Request] {
        lists.flatMap { [.subscribe($0, limit: limit, resume: nil), .unsubscribe($0)] }
    }

    private static func commands(of connection: Int) -> [ClientFrame.Request] {
        let room = RoomName("room-of-\(connection)")!
        let text = String(repeating: "y", count: 8_000)
        let message = MessageID.random()
        let first: [ClientFrame.Request] = [
            .subscribe(.messages(room), limit: 500, resume: nil), .join(room),
            .send(room: room, id: message, MessageContent(text, growth: .open)),
        ]
        let rounds = (0..<12).flatMap { round(Int($0), of: message, text, in: room) }
        return first + rounds
    }

    private static func round(
        _ number: Int, of message: MessageID, _ text: String, in room: RoomName
    ) -> [ClientFrame.Request] {
        [
            .send(room: room, id: .random(), MessageContent(text, replyTo: message)),
            .edit(room: room, command: .random(), id: message, ContentEdit(text)),
            .grow(room: room, command: .random(), id: message, .append("y", at: text.utf8.count)),
            .grow(room: room, command: .random(), id: .random(), .close()),
            .react(room: room, command: .random(), id: message, emoji: "\(number)", .on),
            .delete(room: room, command: .random(), id: .random()),
            .typing(room, .on), .read(room, 1), .read(room, nil),
            .settings(room, SettingsChange(pinned: .at(1))),
            .moderate(room: room, command: .random(), .title(nil)),
            .create(.random(), .open(room)),
            .leave(room), .join(room), .hello(.handshake), .token("no token"), .ping,
        ]
    }
}
