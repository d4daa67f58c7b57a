import ChatWire
import TestSupport

/// Random frames of a correct client or server, from a seed.
struct RandomFrames {
    var hasData = true
    var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    mutating func number() -> UInt64 {
        let largest: UInt64 = 1 << 53 - 1
        return switch Int.random(in: 0..<8, using: &random) {
        case 0: 0
        case 1: largest
        default: UInt64.random(in: 0...(largest >> UInt64.random(in: 0...52, using: &random)), using: &random)
        }
    }

    mutating func flag() -> Bool { Bool.random(using: &random) }

    mutating func maybe<Value>(_ value: Value) -> Value? { flag() ? value : nil }

    mutating func several<Value>(upTo limit: Int = 4, _ make: (inout RandomFrames) -> Value) -> [Value] {
        (0..<Int.random(in: 0...limit, using: &random)).map { _ in make(&self) }
    }

    mutating func id() -> UniqueID { UniqueID(high: random.next(), low: random.next()) }

    /// Any text that a server may send: every control character, every plane.
    mutating func text() -> String {
        var text = ""
        for _ in 0..<Int.random(in: 1...12, using: &random) { text.unicodeScalars.append(scalar()) }
        return text
    }

    /// Text that a server stores as it is.
    mutating func messageText() -> String {
        let text = EnteredText(text()).text
        return text.hasSomethingToSee ? text : "a"
    }

    /// The limits of a server that takes every frame.
    static var limits: WireLimits {
        var limits = WireLimits()
        limits.shortNames = [ShortName(":shipit:")!]
        (limits.files, limits.fileBytes) = (Attachment.most, 1 << 40)
        return limits
    }

    private mutating func scalar() -> Unicode.Scalar {
        let upTo: [UInt32] = [0x20, 0x80, 0x80, 0x800, 0x10000, 0x110000]
        let bound = upTo.randomElement(using: &random) ?? 0x80
        return Unicode.Scalar(UInt32.random(in: 0..<bound, using: &random)) ?? "\\"
    }

    mutating func room() -> RoomName {
        RoomName(
            [
                "lobby", "a", "...", "A_b-9.c", "~0d9c2a54-8f3e-4b6a-a1d7-5e2f90c3b468",
                "@00112233445566778899aabbccddeeff",
            ].randomElement(using: &random) ?? "") ?? fallback
    }

    private var fallback: RoomName { RoomName("fallback")! }

    mutating func list() -> ListName {
        [.messages(room()), .members(room()), .pins(room()), .myRooms, .myThreads].randomElement(using: &random)
            ?? .myRooms
    }

    /// A list whose pages have sort keys, whether or not the server has such pages.
    private mutating func pagedList() -> ListName {
        [.messages(room()), .pins(room()), .myRooms].randomElement(using: &random) ?? .myRooms
    }

    private mutating func mentioned() -> Mentioned {
        Mentioned(mentions(), everyone: flag())
    }

    private mutating func mentions() -> [UserName] {
        var mentions: [UserName] = []
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let user = user()
            if !mentions.contains(user) { mentions.append(user) }
        }
        return mentions
    }

    mutating func user() -> UserName {
        UserName(["ann", "Åse \"7\" \\", "日本", "o'neil", "👩🏽"].randomElement(using: &random) ?? "") ?? UserName("x")!
    }

    mutating func epoch() -> Epoch {
        Epoch(["e1", "0123-é", "\"\\"].randomElement(using: &random) ?? "") ?? Epoch("e")!
    }

    mutating func emoji() -> String { ["👍", "❤️", "🏳️‍🌈", ":shipit:"].randomElement(using: &random) ?? "" }

    mutating func reactions() -> [Reaction] {
        several { Reaction(emoji: $0.emoji(), users: $0.several { $0.user() }) }
    }

    private mutating func messagePatch() -> MessagePatch {
        let reactions = ReactionPatch(
            removed: reactions(), added: reactions(), emojis: maybe(several { $0.emoji() }))
        return MessagePatch(growth: maybe(TextGrowth(from: Int(number()), text(), growth())), reactions: reactions)
    }

    mutating func growth() -> Growth? {
        [nil, .open, .ended(.stopped), .ended(.failed)].randomElement(using: &random) ?? nil
    }

    private mutating func step() -> GrowthStep {
        maybe(.append(messageText(), at: Int(number()))) ?? .close(growth()?.ending)
    }

    mutating func message(_ section: Message.Section) -> Message {
        Message(
            id: id(), section: section, sort: number(), rev: number(), author: user(), time: Int64(number()),
            content: content(), edited: maybe(Int64(number())), reactions: reactions())
    }

    mutating func content() -> MessageContent {
        MessageContent(
            text(), replyTo: maybe(id()), mentions: mentioned(), data: hasData ? maybe(data()) : nil,
            files: hasData ? several { $0.file() } : [], growth: hasData ? growth() : nil, isAway: flag())
    }

    private mutating func file() -> Attachment {
        Attachment(
            id: id(), fileDescription(),
            dimensions: maybe(.init(width: .random(in: 1...100_000, using: &random), height: 1)),
            duration: maybe(Int64(number())), preview: maybe("UklGRh4AAABXRUJQVlA4TBEAAAAvF8ADAAfQuqKUrP+BiOh/AAA="))
    }

    private mutating func fileDescription() -> FileDescription {
        let names = ["cat.png", "日本 (1).pdf", "a \"b\".tar.gz", String(repeating: "é", count: 127)]
        return FileDescription(
            name: names.randomElement(using: &random) ?? "", media: "image/svg+xml",
            size: .random(in: 1...1 << 40, using: &random),
            sha256: String(repeating: "0a", count: 32))!
    }

    private mutating func filePlace() -> FilePlace { FilePlace(message: id(), file: id()) }

    mutating func data() -> AppData {
        [#"{"kind":"poll"}"#, #"{ "a" : [1.50, null, {"é\n": "\u0001"}] }"#].compactMap { AppData($0) }
            .randomElement(using: &random) ?? .empty
    }
}

extension RandomFrames {
    mutating func clientFrame() -> ClientFrame {
        ClientFrame(ref: number(), request: request())
    }

    private mutating func request() -> ClientFrame.Request {
        switch Int.random(in: 0..<28, using: &random) {
        case 26: .later(id(), maybe(plan()))
        case 27: .block(user(), flag() ? .on : .off)
        case 25: .grow(room: room(), command: id(), id: id(), step())
        case 24:
            .membersPage(
                room(), MembersSearch(text(), after: maybe(user()), limit: .random(in: 1...500, using: &random)))
        case 23: .draft(room(), maybe(sentDraft()))
        case 22: .upload(UploadRequest(room: room(), message: id(), file: fileDescription()))
        case 21: .links(LinksRequest(room: room(), files: [filePlace()] + several { $0.filePlace() }))
        case 20: search().map { .search($0) } ?? .ping
        case 19:
            .mentionsPage(
                before: MentionPlace(id: mentionID(), time: Int64(number())),
                limit: Int.random(in: 32...500, using: &random))
        case 18: .people(Array(Set(mentions() + [user()])).sorted())
        case 17: .settings(room(), settings(), command: maybe(id()))
        case 16: .create(id(), newRoom(room()))
        case 14: .join(room(), command: maybe(id()))
        case 15: .leave(room(), command: maybe(id()))
        case 0: .hello([.user(user()), .token(text()), .handshake].randomElement(using: &random) ?? .handshake)
        case 13: .token(text())
        case 1: .subscribe(list(), limit: Int.random(in: 32...500, using: &random), resume: maybe(resume()))
        case 2: .unsubscribe(list())
        case 3:
            .send(room: room(), id: id(), sent())
        case 4: .edit(room: room(), command: id(), id: id(), edit())
        case 5: .delete(room: room(), command: id(), id: id())
        case 6: .react(room: room(), command: id(), id: id(), emoji: emoji(), flag() ? .on : .off)
        case 7: .page(pagedList(), place(), limit: Int.random(in: 1...500, using: &random))
        case 8: .typing(room(), flag() ? .on : .off)
        case 9: flag() ? .read(room(), maybe(number())) : .readRooms(Array(Set([room(), room(), room()])))
        case 10: .moderate(room: room(), command: id(), moderation())
        case 11: .audit(room(), before: number(), limit: Int.random(in: 32...500, using: &random))
        default: .ping
        }
    }

    private mutating func membersSearch() -> MembersSearch {
        MembersSearch(text(), after: maybe(user()), limit: Int.random(in: 1...500, using: &random))
    }

    private mutating func search() -> SearchRequest? {
        let words = ["word", "\"a phrase\" begin*", "from:ann has:link", "中文 after:2026-11-01 before:1764370000000"]
        return try? SearchRequest(
            words.randomElement(using: &random) ?? "", room: maybe(room()), before: maybe(searchPlace()),
            limit: Int.random(in: 1...100, using: &random))
    }

    private mutating func searchPlace() -> SearchPlace {
        SearchPlace(time: Int64(number()), room: room(), sort: number())
    }

    private mutating func sent(mayGrow: Bool = true) -> MessageContent {
        MessageContent(
            messageText(), replyTo: maybe(id()), mentions: mentioned(), data: maybe(data()),
            files: several { frames in
                var file = frames.file()
                file.proof = "proof"
                return file
            }, growth: mayGrow && flag() ? .open : nil, isAway: flag())
    }

    private mutating func edit() -> ContentEdit {
        flag()
            ? ContentEdit(messageText(), mentions: mentioned(), data: maybe(flag() ? .empty : data()))
            : ContentEdit(data: data())
    }

    private mutating func settings() -> SettingsChange {
        let places: [UInt64] = [1, 1 << 20, SettingsChange.places.upperBound]
        let pin = flag() ? SettingsChange.Pin.off : .at(places.randomElement(using: &random) ?? 1)
        var change = SettingsChange(
            pinned: pin, isMuted: maybe(flag()), isArchived: maybe(flag()), isMarked: maybe(flag()))
        if change.isMarked == true { change.unreadFrom = maybe(places.randomElement(using: &random) ?? 1) }
        return change
    }

    private mutating func resume() -> Resume {
        let revision = number()
        return Resume(
            epoch: epoch(), revision: revision, joined: number(), ranges: maybe(ranges(to: revision)),
            at: maybe(number()), rows: maybe(several { Resume.HeldRow(id: $0.text(), tag: $0.id()) }))
    }

    /// Ranges up to a revision, as a reader holds them.
    private mutating func ranges(to end: UInt64) -> [SortKeys] {
        let keys = Set(
            [end] + (0..<Int.random(in: 0...8, using: &random)).map { _ in UInt64.random(in: 0...end, using: &random) })
        let ascending = keys.sorted()
        return stride(from: ascending.count % 2, to: ascending.count, by: 2).map { ascending[$0]...ascending[$0 + 1] }
            + (ascending.count == 1 ? [end...end] : [])
    }

    private mutating func place() -> PagePlace {
        let (one, other) = (number(), number())
        return switch Int.random(in: 0..<6, using: &random) {
        case 0: .before(one)
        case 1: .after(one)
        case 2 where one != other: .between(after: min(one, other), before: max(one, other))
        case 3: .around(.id(id()))
        case 4: .around(.time(Int64(one)))
        default: .around(.revision(one))
        }
    }

    private mutating func title() -> RoomTitle? {
        [nil, "a", "Plans \"7\"", "日本", String(repeating: "é", count: 100)].randomElement(using: &random)?
            .flatMap(RoomTitle.init(known:))
    }

    private mutating func topic() -> RoomTopic? {
        [nil, "a", "Plans \"7\"", "日本", String(repeating: "é", count: 500)].randomElement(using: &random)?
            .flatMap(RoomTopic.init(known:))
    }

    private mutating func picture() -> Picture? {
        [nil, "https://a.example", "https://b.example:8443/p.png?a=b&c=%20#d"].randomElement(using: &random)?
            .flatMap(Picture.init)
    }

    /// - Parameter name: that of an open room.
    private mutating func newRoom(_ name: RoomName) -> NewRoom {
        let people = mentions()
        if name.kind == .open, flag() { return .open(name, title: title()) }
        return flag() || people.isEmpty ? .private(people: people, title: title()) : .direct(people: people)
    }

    private mutating func moderation() -> Moderation {
        switch Int.random(in: 0..<14, using: &random) {
        case 12: .pin(id(), pinPlace())
        case 13: .unpin(id())
        case 9: .topic(topic())
        case 10: .picture(picture())
        case 7: .title(title())
        case 8: .invite(user())
        case 0: .mute(user(), for: Int64.random(in: 1...Moderation.longestMute, using: &random))
        case 1: .unmute(user())
        case 2: .kick(user())
        case 3: .ban(user())
        case 4: .unban(user())
        case 5: .slowMode(Int64.random(in: 0...Moderation.slowestMode, using: &random))
        case 6: .readOnly(flag() ? .on : .off)
        default: .appoint(user(), Role.allCases.randomElement(using: &random) ?? .none)
        }
    }

    private mutating func pinPlace() -> PinPlace {
        [.last, .before(id()), .after(id())].randomElement(using: &random) ?? .last
    }

    private mutating func deed(in room: RoomName) -> AuditEntry.Deed {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: .moderated(moderation())
        case 1: .created(newRoom(room))
        default: .deleted(id(), of: user())
        }
    }

    private mutating func found() -> SearchPage {
        let results = several { random in
            SearchResult(room: random.room(), row: random.message(.history), matches: [0..<3, 5..<9])
        }
        return SearchPage(results: results, before: maybe(searchPlace()))
    }

    private mutating func audit() -> ServerFrame {
        let room = room()
        return .audit(ref: number(), room, auditPage(of: room))
    }

    private mutating func auditPage(of room: RoomName) -> AuditPage {
        let entries = several { frames in
            AuditEntry(
                revision: frames.number(), time: Int64(frames.number()), author: frames.user(),
                deed: frames.deed(in: room))
        }
        return AuditPage(entries: entries, more: flag())
    }

    private mutating func ending() -> ServerFrame.Ending {
        .init(why: ServerFrame.Ending.Why.allCases.randomElement(using: &random) ?? .banned, message: text())
    }

    private mutating func standing() -> RoomStanding {
        RoomStanding(
            role: Role.allCases.randomElement(using: &random) ?? .none, mutedFor: Int64(number()),
            slowMode: Int64(number()), isReadOnly: flag(), title: title(), topic: topic(), picture: picture())
    }

    private mutating func uploadPermit() -> UploadPermit {
        let (file, url, until) = (id(), text(), Int64(number()))
        guard flag() else { return UploadPermit(file: file, url: url, until: until) }
        let names = several { "x-\($0.number())" }
        let headers = Dictionary(names.map { ($0, text()) }, uniquingKeysWith: { $1 })
        return UploadPermit(file: file, url: url, until: until, headers: headers, confirm: text())
    }

    mutating func serverFrame() -> ServerFrame {
        switch Int.random(in: 0..<31, using: &random) {
        case 0: .welcome(ref: number(), welcome())
        case 1: .ok(ref: number(), maybe(ServerFrame.Effect(list: list(), revision: number())))
        case 2: .error(ref: maybe(number()), error())
        case 3: .pong(ref: number())
        case 4: flag() ? audit() : .found(ref: number(), found())
        case 5: .ended(list(), ending())
        case 6: .standing(room(), standing())
        case 7: .roomsRead(ref: number(), several { $0.roomRead() })
        case 8: .expiring(in: Int64(number()))
        case 9: .uploading(ref: number(), uploadPermit())
        case 10: .links(ref: number(), FileLinks(urls: several { $0.text() }, until: Int64(number())))
        case 11:
            .bye(
                code: UInt16.random(in: 1000...4999, using: &random), reason: text(),
                retryAfter: maybe(Int64(number())))
        case 12: .page(ref: number(), .messages(room()), epoch(), page())
        case 13:
            .page(
                ref: number(), .members(room()), epoch(),
                MembersPage(rows: several { $0.member() }, after: maybe(user())))
        case 14:
            .page(ref: number(), .myMentions, epoch(), MentionsPage(rows: several { $0.myMention() }, more: flag()))
        default: flag() ? snapshotFrame() : diffFrame()
        }
    }

    private mutating func snapshotFrame() -> ServerFrame {
        let ref = maybe(number())
        return switch Int.random(in: 0..<9, using: &random) {
        case 0: .snapshot(ref: ref, .members(room()), memberSnapshot())
        case 1: .snapshot(ref: ref, flag() ? .myRooms : .myThreads, roomsSnapshot())
        case 2: .snapshot(ref: ref, .myMentions, mentionsSnapshot())
        case 3: .snapshot(ref: ref, .myPeople, peopleSnapshot())
        case 4: .snapshot(ref: ref, .pins(room()), pinsSnapshot())
        case 5: .snapshot(ref: ref, .myDrafts, draftsSnapshot())
        case 6: .snapshot(ref: ref, .myLater, laterSnapshot())
        case 7: .snapshot(ref: ref, .myBlocked, blockedSnapshot())
        default: .snapshot(ref: ref, .messages(room()), snapshot())
        }
    }

    private mutating func diffFrame() -> ServerFrame {
        let ref = maybe(number())
        return switch Int.random(in: 0..<9, using: &random) {
        case 0: .diff(ref: ref, .members(room()), epoch(), memberDiff())
        case 1: .diff(ref: ref, flag() ? .myRooms : .myThreads, epoch(), roomsDiff())
        case 2: .diff(ref: ref, .myMentions, epoch(), mentionsDiff())
        case 3: .diff(ref: ref, .myPeople, epoch(), peopleDiff())
        case 4: .diff(ref: ref, .pins(room()), epoch(), pinsDiff())
        case 5: .diff(ref: ref, .myDrafts, epoch(), draftsDiff())
        case 6: .diff(ref: ref, .myLater, epoch(), laterDiff())
        case 7: .diff(ref: ref, .myBlocked, epoch(), blockedDiff())
        default: .diff(ref: ref, .messages(room()), epoch(), diff())
        }
    }

    private mutating func roomRead() -> ServerFrame.RoomRead {
        .init(room: room(), result: flag() ? .success(number()) : .failure(error()))
    }

    private mutating func welcome() -> Welcome {
        var limits = WireLimits()
        limits.frame = Int(number())
        limits.rows = Int(number())
        limits.pending = Int(number())
        limits.memberships = Int(number())
        limits.shortNames = maybe([":lgtm:", ":+1:"].compactMap { ShortName($0) }) ?? []
        var rates = WireRates()
        rates.frames = maybe(Int(number()))
        rates.rooms = maybe(Int(number()))
        return Welcome(
            user: user(), server: text(), heartbeat: Int64(number()), limits: limits, rates: rates,
            route: maybe(text()))
    }

    private mutating func error() -> WireError {
        let code = WireError.Code.allCases.randomElement(using: &random) ?? .internal
        let reason = WireError.Reason.allCases.filter { $0.code == code }.randomElement(using: &random)
        return WireError(
            code: code, reason: maybe(reason) ?? nil, field: maybe(text()), text(), retryAfter: maybe(Int64(number())))
    }

    private mutating func proof() -> ListProof {
        ListProof(count: Int(number()), digest: UInt32.random(in: 0...UInt32.max, using: &random))
    }

    private mutating func snapshot() -> ServerFrame.Snapshot<Message> {
        let rows = several(upTo: 8) { $0.message(.history) }.sorted { $0.sort < $1.sort }
        let why = ServerFrame.SnapshotReason.allCases.randomElement(using: &random) ?? .fresh
        return ServerFrame.Snapshot<Message>(
            epoch: epoch(), joined: number(), why: why,
            snapshot: ListSnapshot(revision: number(), rows: rows, more: flag(), proof: proof()))
    }

    mutating func diff() -> ListDiff<Message> {
        var diff = ListDiff<Message>(
            from: number(), to: number(), deletions: several { $0.id() },
            moves: several { ListMove(id: $0.id(), section: .history, sort: $0.number(), rev: $0.number()) },
            insertions: several { $0.message(.socket) },
            reloads: several { $0.message(.socket) },
            reconfigurations: several {
                ListReconfiguration(id: $0.id(), rev: $0.number(), light: Message.Light(reactions: $0.reactions()))
            },
            // A frame names those with growth first.
            patches: several { ListPatch(id: $0.id(), rev: $0.number(), patch: $0.messagePatch()) }
                .sorted { $0.patch.growth != nil && $1.patch.growth == nil },
            proof: proof())
        diff.ranges = maybe(ranges(to: number()).map { ListRange($0, proof: maybe(proof())) })
        if let last = diff.ranges?.popLast() {
            diff.ranges?.append(ListRange(last.keys.lowerBound...(.max), proof: last.proof))
        }
        return diff
    }

    private mutating func page() -> ListPage<Message> {
        ListPage(
            revision: number(), from: number(), to: number(), rows: several { $0.message(.history) }, more: flag(),
            newer: flag())
    }

    private mutating func light() -> Member.Light {
        Member.Light(
            isTyping: flag(), read: flag() ? number() : 0, since: maybe(Int64(number())),
            role: Role.allCases.randomElement(using: &random) ?? .none, inviter: maybe(user()))
    }

    private mutating func member() -> Member {
        Member(
            id: user(), section: Member.Section.allCases.randomElement(using: &random) ?? .online, sort: number(),
            rev: number(), light: light())
    }

    private mutating func counts() -> [Member.Section: Int]? {
        maybe([.online: Int(number()), .offline: Int(number()), .invited: Int(number())])
    }

    private mutating func memberSnapshot() -> ServerFrame.Snapshot<Member> {
        let rows = several(upTo: 8) { $0.member() }.sorted { ($0.section, $0.sort) < ($1.section, $1.sort) }
        return ServerFrame.Snapshot<Member>(
            epoch: epoch(), joined: number(), why: .fresh,
            snapshot: ListSnapshot(revision: number(), rows: rows, more: flag(), proof: proof(), counts: counts()))
    }

    private mutating func memberDiff() -> ListDiff<Member> {
        ListDiff(
            from: number(), to: number(), deletions: several { $0.user() },
            moves: several { ListMove(id: $0.user(), section: .offline, sort: $0.number(), rev: $0.number()) },
            insertions: several { $0.member() },
            reconfigurations: several { ListReconfiguration(id: $0.user(), rev: $0.number(), light: $0.light()) },
            proof: proof(), counts: counts())
    }

    private mutating func lastMessage() -> LastMessage {
        LastMessage(id: id(), author: user(), time: Int64(number()), text: text())
    }

    private mutating func roomLight() -> MyRoom.Light {
        MyRoom.Light(
            unread: number(), mentions: number(), read: number(), inviter: maybe(user()), title: title(),
            picture: picture(),
            isMuted: flag(), isMarked: flag(), last: maybe(lastMessage()), isTyping: flag(), isHere: flag())
    }

    private mutating func section() -> MyRoom.Section {
        MyRoom.Section.allCases.randomElement(using: &random) ?? .rooms
    }

    private mutating func myRoom() -> MyRoom {
        MyRoom(
            id: RoomName(known: flag() ? "." : "a") ?? room(), section: section(), sort: number(),
            rev: number(), tag: maybe(id()), people: mentions(), light: roomLight())
    }

    private mutating func roomsSnapshot() -> ServerFrame.Snapshot<MyRoom> {
        ServerFrame.Snapshot<MyRoom>(
            epoch: epoch(), joined: number(), why: .fresh,
            snapshot: ListSnapshot(
                revision: number(),
                rows: several(upTo: 8) { $0.myRoom() }.sorted { ($0.section, $0.sort) < ($1.section, $1.sort) },
                more: flag(), proof: proof()))
    }

    private mutating func myMention() -> MyMention {
        MyMention(
            id: mentionID(), sort: number(), rev: number(), tag: maybe(id()), author: user(), time: Int64(number()),
            light: mentionLight())
    }

    private mutating func mentionID() -> MyMention.ID {
        MyMention.ID(room: RoomName(known: flag() ? "." : "a") ?? room(), message: id())
    }

    private mutating func mentionLight() -> MyMention.Light { MyMention.Light(text: text(), isRead: flag()) }

    private mutating func profile() -> Profile {
        Profile(name: maybe(user()).flatMap { DisplayName(known: $0.description) }, picture: picture())
    }

    private mutating func person() -> Person {
        Person(id: user(), sort: number(), rev: number(), tag: maybe(id()), light: profile())
    }

    private mutating func peopleSnapshot() -> ServerFrame.Snapshot<Person> {
        ServerFrame.Snapshot(
            epoch: epoch(), joined: number(), why: .fresh,
            snapshot: ListSnapshot(
                revision: number(), rows: several(upTo: 8) { $0.person() }.sorted { $0.sort < $1.sort },
                more: flag(), proof: proof()))
    }

    private mutating func peopleDiff() -> ListDiff<Person> {
        var diff = ListDiff<Person>(
            from: number(), to: number(), deletions: several { $0.user() },
            moves: several {
                ListMove(
                    id: $0.user(), section: .people, sort: $0.number(), rev: $0.number(), tag: $0.maybe($0.id()))
            },
            insertions: several { $0.person() },
            reconfigurations: several {
                ListReconfiguration(id: $0.user(), rev: $0.number(), tag: $0.maybe($0.id()), light: $0.profile())
            },
            proof: proof())
        diff.kept = maybe(number())
        diff.groups = maybe([0, 7, 255])
        return diff
    }

    private mutating func sentDraft() -> MessageContent {
        var content = sent(mayGrow: false)
        content.files = []
        if !hasData { content.data = nil }
        return content
    }

    private mutating func draftLight() -> Draft.Light { Draft.Light(content: sentDraft(), time: Int64(number())) }

    private mutating func draft() -> Draft {
        Draft(id: room(), sort: number(), rev: number(), tag: maybe(id()), light: draftLight())
    }

    private mutating func draftsSnapshot() -> ServerFrame.Snapshot<Draft> {
        ServerFrame.Snapshot(
            epoch: epoch(), joined: number(), why: .fresh,
            snapshot: ListSnapshot(
                revision: number(), rows: several(upTo: 8) { $0.draft() }.sorted { $0.sort < $1.sort },
                more: flag(), proof: proof()))
    }

    private mutating func draftsDiff() -> ListDiff<Draft> {
        ListDiff<Draft>(
            from: number(), to: number(), deletions: several { $0.room() },
            moves: several {
                ListMove(
                    id: $0.room(), section: .drafts, sort: $0.number(), rev: $0.number(), tag: $0.maybe($0.id()))
            },
            insertions: several { $0.draft() },
            reconfigurations: several {
                ListReconfiguration(id: $0.room(), rev: $0.number(), tag: $0.maybe($0.id()), light: $0.draftLight())
            },
            proof: proof())
    }

    private mutating func blockedUser() -> BlockedUser {
        BlockedUser(
            id: user(), sort: number(), rev: number(), tag: maybe(id()), light: BlockedUser.Light(time: Int64(number()))
        )
    }

    private mutating func blockedSnapshot() -> ServerFrame.Snapshot<BlockedUser> {
        let rows = several(upTo: 4) { $0.blockedUser() }.sorted { $0.sort < $1.sort }
        return ServerFrame.Snapshot(
            epoch: epoch(), joined: number(), why: .fresh,
            snapshot: ListSnapshot(revision: number(), rows: rows, more: flag(), proof: proof()))
    }

    private mutating func blockedDiff() -> ListDiff<BlockedUser> {
        ListDiff<BlockedUser>(
            from: number(), to: number(), deletions: several { $0.user() }, moves: [],
            insertions: several { $0.blockedUser() }, reconfigurations: [], proof: proof())
    }

    private mutating func plan() -> LaterItem.Plan {
        let action: LaterItem.Action = flag() ? .send(sentDraft()) : .remind(id())
        return LaterItem.Plan(action, in: room(), at: Int64(number()))
    }

    private mutating func laterLight() -> LaterItem.Light { LaterItem.Light(plan(), refusal: maybe(error())) }

    private mutating func laterItem(in section: LaterItem.Section) -> LaterItem {
        LaterItem(id: id(), section: section, sort: number(), rev: number(), tag: maybe(id()), light: laterLight())
    }

    private mutating func laterSnapshot() -> ServerFrame.Snapshot<LaterItem> {
        let rows = LaterItem.Section.allCases.flatMap { section in
            several(upTo: 4) { $0.laterItem(in: section) }.sorted { $0.sort < $1.sort }
        }
        return ServerFrame.Snapshot(
            epoch: epoch(), joined: number(), why: .fresh,
            snapshot: ListSnapshot(revision: number(), rows: rows, more: flag(), proof: proof()))
    }

    private mutating func laterDiff() -> ListDiff<LaterItem> {
        ListDiff<LaterItem>(
            from: number(), to: number(), deletions: several { $0.id() },
            moves: several {
                ListMove(id: $0.id(), section: .due, sort: $0.number(), rev: $0.number(), tag: $0.maybe($0.id()))
            },
            insertions: several { $0.laterItem(in: $0.flag() ? .due : .waiting) },
            reconfigurations: several {
                ListReconfiguration(id: $0.id(), rev: $0.number(), tag: $0.maybe($0.id()), light: $0.laterLight())
            },
            proof: proof())
    }

    private mutating func mentionsSnapshot() -> ServerFrame.Snapshot<MyMention> {
        ServerFrame.Snapshot(
            epoch: epoch(), joined: number(), why: .fresh,
            snapshot: ListSnapshot(
                revision: number(), rows: several(upTo: 8) { $0.myMention() }.sorted { $0.sort < $1.sort },
                more: flag(), proof: proof()))
    }

    private mutating func mentionsDiff() -> ListDiff<MyMention> {
        var diff = ListDiff<MyMention>(
            from: number(), to: number(), deletions: several { $0.mentionID() },
            moves: several {
                ListMove(
                    id: $0.mentionID(), section: .mentions, sort: $0.number(), rev: $0.number(), tag: $0.maybe($0.id()))
            },
            insertions: several { $0.myMention() },
            reconfigurations: several {
                ListReconfiguration(
                    id: $0.mentionID(), rev: $0.number(), tag: $0.maybe($0.id()), light: $0.mentionLight())
            },
            proof: proof())
        diff.kept = maybe(number())
        diff.groups = maybe([0, 7, 255])
        return diff
    }

    private mutating func pin() -> Pin {
        Pin(
            id: id(), sort: number(), rev: number(), tag: maybe(id()), author: user(), time: Int64(number()),
            light: pinLight())
    }

    private mutating func pinLight() -> Pin.Light { Pin.Light(content: content(), edited: maybe(Int64(number()))) }

    private mutating func pinsSnapshot() -> ServerFrame.Snapshot<Pin> {
        ServerFrame.Snapshot(
            epoch: epoch(), joined: number(), why: .fresh,
            snapshot: ListSnapshot(
                revision: number(), rows: several(upTo: 8) { $0.pin() }.sorted { $0.sort < $1.sort }, more: flag(),
                proof: proof()))
    }

    private mutating func pinsDiff() -> ListDiff<Pin> {
        var diff = ListDiff<Pin>(
            from: number(), to: number(), deletions: several { $0.id() },
            moves: several {
                ListMove(id: $0.id(), section: .pins, sort: $0.number(), rev: $0.number(), tag: $0.maybe($0.id()))
            },
            insertions: several { $0.pin() },
            reconfigurations: several {
                ListReconfiguration(id: $0.id(), rev: $0.number(), tag: $0.maybe($0.id()), light: $0.pinLight())
            },
            proof: proof())
        diff.kept = maybe(number())
        diff.groups = maybe([0, 7, 255])
        return diff
    }

    private mutating func roomsDiff() -> ListDiff<MyRoom> {
        var diff = ListDiff<MyRoom>(
            from: number(), to: number(), deletions: several { $0.room() },
            moves: several {
                ListMove(id: $0.room(), section: .rooms, sort: $0.number(), rev: $0.number(), tag: $0.maybe($0.id()))
            },
            insertions: several { $0.myRoom() },
            reconfigurations: several {
                ListReconfiguration(id: $0.room(), rev: $0.number(), tag: $0.maybe($0.id()), light: $0.roomLight())
            },
            proof: proof())
        diff.kept = maybe(number())
        diff.groups = maybe([0, 7, 255])
        return diff
    }
}
