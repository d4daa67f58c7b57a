import ChatRoom
package import ChatWire
package import RoomStore

/// Recomputes one room's derived tables from its operations, and compares.
///
/// It shares no code with the fold or with a store. A store gives it the room's own row, then all operations in order,
/// then the rows of the other tables in any order, except that messages come in the order of their sort keys. All must be
/// of one moment.
///
/// Retention deletes operations. Their possible effects are compared as far as the other operations decide them:
/// - A message's text, where it was edited before ``RoomColumns/floor``, and its reactions of before.
/// - Memberships and settings of before, and in a private room whether a person has left.
/// - The time of a last message in slow mode, and a room's activity, which are then only bounded.
///
/// Rows that are over need not be there: a mute or a wait in slow mode that has ended by ``instant``, and a kick.
///
/// A read mark is in no operation. It lies between the join and the room's revision, and more is not known.
///
/// - Complexity: O(operations and rows of the room) time; O(rows) memory, without their texts.
package struct Recount {
    package let room: RoomName
    let stored: RoomColumns
    /// The store's time.
    let instant: Milliseconds
    var findings: [Finding] = []

    var rows: [UInt64: RowRecount] = [:]
    private var sorts: [MessageID: UInt64] = [:]
    var people: [UserName: PersonRecount] = [:]
    /// The deletions that are not forgotten, with the message's sort key if its send is known.
    var tombstones: [Revision: (id: MessageID, sort: UInt64?)] = [:]
    var configuration: RoomConfiguration
    var pins = PinRecount()
    /// The revision at which the present slow mode began.
    var slowSince: Revision = 0
    var lastSends: [UserName: (time: Milliseconds, revision: Revision)] = [:]
    /// The activity after all operations.
    var activity = ActivityStamp.none
    /// The activities of files of before this column, which began at any time with the message that was then the last.
    var possibleActivities: Set<ActivityStamp> = [.none]
    /// The messages that were not deleted so far, but perhaps trimmed.
    private var said: [(id: MessageID, instant: Milliseconds)] = []
    private var unsaid: Set<MessageID> = []
    /// The revision of the last operation.
    var last: Revision = 0
    /// The last revision whose operation is forgotten or missing; 0 for none.
    var gap: Revision = 0

    // The store's values: `nil` for a row that cannot be read.
    var storedStandings: [UserName: Standing?] = [:]
    var storedMemberships: [UserName: StoredMembership?] = [:]
    var storedTombstones: [Revision: StoredTombstone] = [:]
    var storedMentions: [UInt64: [MentionRow]] = [:]
    var storedLastSends: [UserName: Milliseconds] = [:]
    var deleted: [UInt64] = []
    var placed: [(sort: UInt64, ordinal: Int)] = []
    var compared: Set<UInt64> = []
    var mentions: [UInt64: [MentionRow]] = [:]
    let ordinals: Ordinals

    /// The messages whose ordinals count.
    package enum Ordinals: Sendable {
        /// All, but those of before ordinals, which have 0.
        case all
        /// Those after the first join: before, servers that know no ordinals may have written.
        case sinceTheFirstJoin
    }

    package init(_ room: RoomName, _ stored: RoomColumns, at instant: Milliseconds, ordinals: Ordinals) {
        self.room = room
        self.instant = instant
        self.stored = stored
        self.ordinals = ordinals
        configuration = RoomConfiguration(of: room.kind)
    }

    /// Applies the next operation.
    package mutating func apply(_ entry: CommittedOperation) {
        noteGap(before: entry.revision)
        last = entry.revision
        let (operation, revision) = (entry.operation, entry.revision)
        switch operation.action {
        case .send(let content):
            insert(RowRecount(operation, content, at: revision), operation)
            for user in entry.followers {
                person(user) { person, _ in person.follow(from: revision, operation.instant) }
            }
        case .edit(let id, let edit):
            change(id) { $0.edit(edit, at: revision, operation.time) }
        case .grow(let id, let step):
            change(id) { $0.grow(by: step, at: revision) }
        case .react(let id, let emoji, let direction):
            change(id) { $0.react(emoji, by: operation.author, stands: direction == .on, at: revision) }
        case .summarize(let id, let summary):
            change(id) { $0.summarize(summary, at: revision) }
        case .delete(let id):
            if revision > stored.floor { tombstones[revision] = (id, sorts[id]) }
            if let sort = sorts[id] { rows[sort] = nil }
            pins.unpin(id)
            unsaid.insert(id)
            while let last = said.last, unsaid.contains(last.id) { said.removeLast() }
            possibleActivities.insert(said.last.map { ActivityStamp(of: $0.instant) } ?? .none)
        case .join, .leave, .settings:
            person(operation.author) { $0.apply(entry, in: $1) }
        case .moderate(let moderation): moderate(moderation, operation, at: revision)
        case .create(let new): if revision == 1 { create(new, operation) }
        }
    }

    private mutating func insert(_ row: RowRecount, _ operation: Operation) {
        sorts[row.id] = row.sort
        let instant = operation.instant
        said.append((row.id, instant))
        if row.sort >= stored.start { rows[row.sort] = row }
        if configuration.slowMode > 0 { lastSends[row.author] = (instant, row.sort) }
        person(row.author) { person, _ in person.lastSend = row.sort }
        possibleActivities = Set(possibleActivities.map { $0.next(at: instant) } + [ActivityStamp(of: instant)])
        activity = activity.next(at: instant)
    }

    private mutating func change(_ id: MessageID, _ body: (inout RowRecount) -> Void) {
        guard let sort = sorts[id] else { return }
        rows[sort]?.forget(upTo: gap)
        if rows[sort] != nil { body(&rows[sort]!) }
    }

    mutating func person(_ user: UserName, _ body: (inout PersonRecount, RoomName.Kind) -> Void) {
        people[user, default: PersonRecount(inThread: room.isThread)].forget(upTo: gap, in: membershipKind)
        body(&people[user, default: PersonRecount(inThread: room.isThread)], membershipKind)
    }

    /// The kind of room whose memberships come and go as here: people follow a thread as they are members of an open room,
    /// whatever room it is in.
    var membershipKind: RoomName.Kind { room.isThread ? .open : room.kind }

    private mutating func moderate(_ moderation: Moderation, _ operation: Operation, at revision: Revision) {
        switch moderation {
        case .slowMode(let span):
            if configuration.slowMode == 0 { slowSince = revision }
            if span == 0 { lastSends = [:] }
            configuration.slowMode = span
        case .readOnly(let direction): configuration.isReadOnly = direction == .on
        case .title(let title): configuration.title = title
        case .topic(let topic): configuration.topic = topic
        case .picture(let picture): configuration.picture = picture
        case .pin(let id, let place): pins.pin(id, at: sorts[id], place, from: stored.start)
        case .unpin(let id): pins.unpin(id)
        case .mute(let user, _), .unmute(let user), .kick(let user), .ban(let user), .unban(let user),
            .appoint(let user, _), .invite(let user):
            person(user) { $0.apply(moderation, by: operation.author, at: revision, operation.instant, in: $1) }
        }
    }

    private mutating func create(_ new: NewRoom, _ operation: Operation) {
        let (author, time) = (operation.author, operation.instant)
        let member = PersonState.Place.member(KnownJoin(at: 1, time), KnownSettings())
        if new.kind != room.kind {
            findings.append(
                Finding("it was created as a room that is \(new.kind), and its name is that of another kind"))
        }
        switch new {
        case .open(_, let title):
            configuration.title = title
            person(author) { person, _ in person.create(Standing(role: .own), member, time) }
        case .private(let people, let title):
            configuration.title = title
            person(author) { person, _ in person.create(Standing(role: .own), member, time) }
            for user in people {
                person(user) { person, _ in person.create(Standing(role: .write), .invited(by: author, time), time) }
            }
        case .direct(let people):
            for user in [author] + people {
                person(user) { person, _ in person.create(Standing(role: .write), member, time) }
            }
        }
    }

    /// Ends the operations. The store's rows are compared from now on.
    package mutating func endOperations() { noteGap(before: stored.revision + 1) }

    /// Notes the revisions without an operation before this one. Trimming uses up revisions, too.
    private mutating func noteGap(before next: Revision) {
        let first = last + 1
        guard first < next else { return }
        let forgotten = min(next - 1, stored.floor)
        if first <= forgotten { gap = forgotten }
        let missing = max(first, stored.floor + 1)
        guard missing < next, stored.start == 0 else { return }
        gap = next - 1
        findings.append(
            Finding(missing == gap ? "operation \(missing) is missing" : "operations \(missing) to \(gap) are missing"))
    }
}
