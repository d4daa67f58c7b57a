import ChatRoom
import ChatWire
import Testing

/// The rights of each role, cell by cell of the table in docs/security.md.
struct RightsTests {
    private static let me = UserName("me")!
    private static let other = UserName("other")!
    private static let now: Milliseconds = 1_000_000

    enum Deed: String, CaseIterable, Sendable {
        case follow, members, page, audit, showRead, showTyping
        case join, leave, settings, everyone
        case title, topic, picture, invite, pin, unpin
        case send, edit, react, delete, deleteOthers, stop, stopOthers, mute, unmute, kick, ban, unban, slow, readOnly,
            appoint
    }

    enum Circumstance: String, CaseIterable, Sendable {
        case usual, muted, readOnly, slow, banned
    }

    /// By role, from none to own: `+` allowed, `-` not.
    static let table: [Circumstance: [Deed: String]] = [
        .usual: [
            .follow: "-++++", .members: "-++++", .page: "-++++", .audit: "---++",
            .showRead: "-++++", .showTyping: "--+++",
            .settings: "-++++", .title: "---++", .topic: "---++", .picture: "---++", .invite: "----+",
            .join: "-++++", .leave: "-++++",
            .everyone: "---++",
            .send: "--+++", .edit: "--+++", .react: "--+++", .delete: "--+++", .deleteOthers: "---++",
            .stop: "--+++", .stopOthers: "---++",
            .mute: "---++", .unmute: "---++", .kick: "---++", .ban: "---++", .unban: "---++", .slow: "---++",
            .readOnly: "---++", .pin: "---++", .unpin: "---++", .appoint: "----+",
        ],
        .muted: [
            .follow: "-++++", .members: "-++++", .page: "-++++", .audit: "---++",
            .showRead: "-++++", .showTyping: "----+",
            .settings: "-++++", .title: "---++", .topic: "---++", .picture: "---++", .invite: "----+",
            .join: "-++++", .leave: "-++++",
            .everyone: "----+",
            .send: "----+", .edit: "----+", .react: "----+", .delete: "--+++", .deleteOthers: "---++",
            .stop: "--+++", .stopOthers: "---++",
            .mute: "---++", .unmute: "---++", .kick: "---++", .ban: "---++", .unban: "---++", .slow: "---++",
            .readOnly: "---++", .pin: "---++", .unpin: "---++", .appoint: "----+",
        ],
        .readOnly: [
            .follow: "-++++", .members: "-++++", .page: "-++++", .audit: "---++",
            .showRead: "-++++", .showTyping: "---++",
            .settings: "-++++", .title: "---++", .topic: "---++", .picture: "---++", .invite: "----+",
            .join: "-++++", .leave: "-++++",
            .everyone: "---++",
            .send: "---++", .edit: "---++", .react: "---++", .delete: "--+++", .deleteOthers: "---++",
            .stop: "--+++", .stopOthers: "---++",
            .mute: "---++", .unmute: "---++", .kick: "---++", .ban: "---++", .unban: "---++", .slow: "---++",
            .readOnly: "---++", .pin: "---++", .unpin: "---++", .appoint: "----+",
        ],
        .slow: [
            .follow: "-++++", .members: "-++++", .page: "-++++", .audit: "---++",
            .showRead: "-++++", .showTyping: "--+++",
            .settings: "-++++", .title: "---++", .topic: "---++", .picture: "---++", .invite: "----+",
            .join: "-++++", .leave: "-++++",
            .everyone: "---++",
            .send: "---++", .edit: "--+++", .react: "--+++", .delete: "--+++", .deleteOthers: "---++",
            .stop: "--+++", .stopOthers: "---++",
            .mute: "---++", .unmute: "---++", .kick: "---++", .ban: "---++", .unban: "---++", .slow: "---++",
            .readOnly: "---++", .pin: "---++", .unpin: "---++", .appoint: "----+",
        ],
        .banned: [
            .follow: "----+", .members: "----+", .page: "----+", .audit: "----+",
            .showRead: "----+", .showTyping: "----+",
            .settings: "----+", .title: "----+", .topic: "----+", .picture: "----+", .invite: "----+",
            .join: "-----", .leave: "----+",
            .everyone: "----+",
            .send: "----+", .edit: "----+", .react: "----+", .delete: "----+", .deleteOthers: "----+",
            .stop: "----+", .stopOthers: "----+",
            .mute: "----+", .unmute: "----+", .kick: "----+", .ban: "----+", .unban: "----+", .slow: "----+",
            .readOnly: "----+", .pin: "----+", .unpin: "----+", .appoint: "----+",
        ],
    ]

    @Test(arguments: Circumstance.allCases, Role.allCases)
    func everyCellOfTheTableHolds(circumstance: Circumstance, role: Role) throws {
        for deed in Deed.allCases {
            let cells = try #require(Self.table[circumstance]?[deed])
            let isAllowed = Array(cells)[role.rawValue] == "+"
            for isAppointed in [false, true] {
                let rules = Self.rules(circumstance, role: isAppointed ? role : .none)
                let granted = isAppointed ? .none : role
                #expect(
                    Self.allows(deed, granted: granted, under: rules) == isAllowed, "\(role) \(circumstance) \(deed)")
            }
        }
    }

    /// In slow mode somebody who sent a message nine milliseconds ago waits for one more.
    private static func rules(_ circumstance: Circumstance, role: Role) -> RoomRules {
        var rules = RoomRules(of: .open, isReadOnly: circumstance == .readOnly)
        var standing = Standing(role: role, isBanned: circumstance == .banned)
        if circumstance == .muted { standing.mutedUntil = now + 1 }
        if circumstance == .slow { rules.slowMode = 10 }
        rules.standings = [me: standing]
        return rules
    }

    private static func allows(_ deed: Deed, granted: Role, under rules: RoomRules) -> Bool {
        switch deed {
        case .follow, .showRead, .showTyping, .members, .page, .audit:
            lets(Visitor(user: me, grant: granted), deed, under: rules)
        case .invite: allowsToInvite(granted: granted, under: rules)
        default: refusal(of: deed, granted: granted, under: rules) == nil
        }
    }

    /// What needs no operation: a room looks at its rules. Who follows the messages may show how far they have read.
    private static func lets(_ visitor: Visitor, _ deed: Deed, under rules: RoomRules) -> Bool {
        let reader = Reader(1)
        var room = RoomState(room: RoomName("lobby")!, epoch: RoomWorld.epoch, limits: WireLimits(), isShared: false)
        let request: RoomState.Input =
            switch deed {
            case .members: .enter(reader, visitor, .list(.members, ref: 1, nil))
            case .page: .enter(reader, visitor, .page(ref: 1, .before(9), limit: 50))
            case .audit: .enter(reader, visitor, .audit(ref: 1, before: 9, limit: 50))
            default: .subscribe(reader, visitor, ref: 1, limit: 50, nil)
            }
        room.advance(to: now)
        _ = room.handle(request)
        let reading = RoomReading(revision: 3, count: 0, tail: [], changes: .none, rules: rules)
        let isIn = room.handle(.read(reading)).contains { effect in
            switch effect {
            case .deliver, .admit: true
            default: false
            }
        }
        return isIn && (deed != .showTyping || room.silence(of: reader) == nil)
    }

    /// In a private room, where a grant is worth an appointment only.
    private static func allowsToInvite(granted: Role, under rules: RoomRules) -> Bool {
        var standing = rules.standing(of: me)
        standing.role = max(standing.role, granted)
        let rules = RoomRules(
            of: .private, slowMode: rules.slowMode, isReadOnly: rules.isReadOnly, standings: [me: standing])
        return refusal(of: .invite, granted: .own, under: rules) == nil
    }

    private static func action(_ deed: Deed, _ id: MessageID) -> RoomAction {
        switch deed {
        case .follow, .members, .page, .audit, .showRead, .showTyping: preconditionFailure("\(deed) is no operation")
        case .settings: .settings(SettingsChange(isMuted: true))
        case .title: .moderate(.title(RoomTitle("Plans")))
        case .topic: .moderate(.topic(RoomTopic("Plans")))
        case .picture: .moderate(.picture(Picture("https://a.example")))
        case .invite: .moderate(.invite(other))
        case .pin: .moderate(.pin(id, .last))
        case .unpin: .moderate(.unpin(id))
        case .everyone: .send(MessageContent("@room", mentions: Mentioned([], everyone: true)))
        case .join: .join
        case .leave: .leave
        case .send: .send("new")
        case .edit: .edit(id, "new")
        case .react: .react(id, emoji: "👍", .on)
        case .delete, .deleteOthers: .delete(id)
        case .stop, .stopOthers: .grow(id, .close(.stopped))
        case .mute: .moderate(.mute(other, for: 5))
        case .unmute: .moderate(.unmute(other))
        case .kick: .moderate(.kick(other))
        case .ban: .moderate(.ban(other))
        case .unban: .moderate(.unban(other))
        case .slow: .moderate(.slowMode(5))
        case .readOnly: .moderate(.readOnly(.off))
        case .appoint: .moderate(.appoint(other, .moderate))
        }
    }

    private static func refusal(
        of deed: Deed, granted: Role, under rules: RoomRules, at time: Milliseconds = now, sent: Milliseconds = now - 9
    ) -> Refusal? {
        let id = MessageID(high: 0, low: 1)
        let isOthers = [.deleteOthers, .stopOthers, .stop].contains(deed)
        let content = MessageContent(
            "old", mentions: deed == .stop ? [me] : [], growth: [.stop, .stopOthers].contains(deed) ? .open : nil)
        let row = Message(
            id: id, section: .history, sort: 1, rev: 1, author: isOthers ? other : me, time: 0, content: content)
        let operation = Operation(
            command: .random(), author: me, role: granted, time: time, action: action(deed, id))
        do throws(Refusal) {
            _ = try operation.fold(
                onto: deed == .send || deed == .everyone ? nil : row,
                by: deed == .settings ? .member(RoomSettings()) : .guest(.none), under: rules, sent: sent, at: 9,
                limits: WireLimits())
            return nil
        } catch {
            return error
        }
    }

    // MARK: - Beside the table

    @Test(arguments: [RoomName(privateRoomOf: .random()), RoomName("@00112233445566778899aabbccddeeff")!])
    func whoMayWriteInAPrivateRoomMayMentionEverybodyThere(room: RoomName) {
        var rules = RoomRules(of: room.kind, standings: [Self.me: Standing(role: .write)])
        #expect(Self.refusal(of: .everyone, granted: .write, under: rules) == nil)
        rules.standings = [Self.me: Standing(role: .read)]
        #expect(Self.refusal(of: .everyone, granted: .write, under: rules) == .notGranted(.write, .read))
    }

    @Test func whoIsNoModeratorAnyMoreKeepsAMessageToEverybodyAsItIs() throws {
        let id = MessageID(high: 0, low: 1)
        let everyone = Mentioned([], everyone: true)
        func edit(of mentions: Mentioned, to new: Mentioned) throws(Refusal) -> RowChange {
            let row = Message(
                id: id, section: .history, sort: 1, rev: 1, author: Self.me, time: 0,
                content: MessageContent("old", mentions: mentions))
            let edit = Operation(
                command: .random(), author: Self.me, role: .write, time: 0,
                action: .edit(id, ContentEdit("new", mentions: new)))
            return try edit.fold(onto: row, under: RoomRules(of: .open), at: 9, limits: WireLimits())
        }

        #expect(try edit(of: everyone, to: everyone) != .nothing)
        #expect(try edit(of: everyone, to: [Self.other]) != .nothing)
        #expect(throws: Refusal.noCallToEveryone(.write)) { try edit(of: [Self.other], to: everyone) }
    }

    private func moderate(_ moderation: Moderation, as role: Role, _ standing: Standing) throws(Refusal) -> RowChange {
        let operation = Operation(
            command: .random(), author: Self.me, role: role, time: Self.now, action: .moderate(moderation))
        return try operation.fold(
            onto: nil, under: RoomRules(of: .open, standings: [Self.other: standing]), at: 9, limits: WireLimits())
    }

    @Test(arguments: [Moderation.mute(other, for: 5), .kick(other), .ban(other)])
    func nobodyIsDoneAnythingToWhoWasAppointedAsHigh(moderation: Moderation) throws {
        #expect(throws: Refusal.notBelow(Self.other, .moderate)) {
            try moderate(moderation, as: .moderate, Standing(role: .moderate))
        }
        #expect(throws: Refusal.notBelow(Self.other, .own)) {
            try moderate(moderation, as: .own, Standing(role: .own))
        }
        #expect(try moderate(moderation, as: .own, Standing(role: .moderate)) != .nothing)
    }

    @Test(arguments: [Moderation.mute(me, for: 5), .unmute(me), .kick(me), .ban(me), .unban(me), .appoint(me, .none)])
    func nobodyModeratesThemselves(moderation: Moderation) {
        #expect(throws: Refusal.yourself) { try moderate(moderation, as: .own, Standing()) }
    }

    @Test func nobodyEditsWhatSomebodyElseSaid() {
        let id = MessageID(high: 0, low: 1)
        let row = Message(
            id: id, section: .history, sort: 1, rev: 1, author: Self.other, time: 0, content: "old")
        let edit = Operation(
            command: .random(), author: Self.me, role: .own, time: 0, action: .edit(id, "new"))

        #expect(throws: Refusal.notYours(id)) {
            try edit.fold(onto: row, under: RoomRules(of: .open), at: 9, limits: WireLimits())
        }
    }

    @Test func whoMustWaitIsToldForHowLong() {
        #expect(Self.refusal(of: .send, granted: .write, under: Self.rules(.slow, role: .none)) == .tooSoon(wait: 1))
        #expect(Self.refusal(of: .send, granted: .write, under: Self.rules(.muted, role: .none)) == .muted(for: 1))
    }

    @Test func aClockThatWasSetBackKeepsNobodyWaiting() {
        let rules = Self.rules(.slow, role: .none)

        #expect(Self.refusal(of: .send, granted: .write, under: rules, sent: Self.now + 1) == nil)
    }

    /// Damage that no other check sees before the fold, and a clock that is as wrong.
    @Test func timesMayBeAnything() {
        let times: [Milliseconds] = [.min, -1, 0, Self.now - 1, Self.now + 1, .max]
        let pairs = times.flatMap { a in times.map { (a, $0) } }
        for ((muted, slow), (sent, now)) in pairs.flatMap({ pair in pairs.map { (pair, $0) } }) {
            let rules = RoomRules(of: .open, slowMode: slow, standings: [Self.me: Standing(mutedUntil: muted)])

            let refusal = Self.refusal(of: .send, granted: .write, under: rules, at: now, sent: sent)

            switch refusal {
            case nil, .muted, .tooSoon: break
            default: Issue.record("\(String(describing: refusal))")
            }
        }
    }

    @Test func whatIsSoAlreadyChangesNothing() throws {
        #expect(try moderate(.ban(Self.other), as: .own, Standing(isBanned: true)) == .nothing)
        #expect(try moderate(.slowMode(0), as: .own, Standing()) == .nothing)
        #expect(try moderate(.kick(Self.other), as: .own, Standing(kicked: 8)) != .nothing)
    }
}
