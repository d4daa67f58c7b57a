package import ChatWire

/// One connection, as a room knows it.
package struct Reader: Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The number of a commit under way or of a waiting reader, which matches the store's answer to it.
package typealias Ticket = UInt64

extension RoomState {
    package enum Input: Sendable {
        case subscribe(Reader, Visitor, ref: UInt64, limit: Int, Resume?)
        /// The reader asked to unsubscribe, or its connection ended.
        case unsubscribe(Reader)
        case enter(Reader, Visitor, ReadRequest)
        /// Nothing has happened but that there is an allowance again: see ``RoomState/isServing``.
        case proceed
        /// A page of messages or of the audit log to which a visitor was admitted is answered, or its reader has gone.
        case pageAnswered
        /// The reader no longer follows a list other than that of the messages.
        case left(Reader, RoomList)
        /// A fresh token changes the reader's role for a list that it follows or has asked to follow.
        case regranted(Reader, RoomList, Role)
        /// The reader fell off the outgoing log. It holds this revision.
        case behind(Reader, Revision)
        case operate(Reader, ref: UInt64, Operation)
        /// The visitor has read all that is in the room.
        case readAll(Reader, Visitor, ref: UInt64)
        /// The answer to a ``Effect/readMembership(_:_:for:)``: the revision up to which a member has read.
        case membership(Ticket, Result<Revision, WireError>)
        /// The reader's request is refused, whatever the store has.
        case refused(Reader, ref: UInt64, WireError)
        /// The time for refusals, as long as ``RoomState/awaitsRefusalTick``.
        case refusalTick
        /// The time to publish what texts have grown by, as long as ``RoomState/holdsGrowth``.
        case growthTick
        /// Comes at equal intervals as long as ``RoomState/hasOpenMessages``, with the time of day.
        case silenceTick(at: Milliseconds)
        /// Outcomes in the order of commitment.
        case committed([(ticket: Ticket, outcome: CommitOutcome)])
        case commitFailed([Ticket], WireError)
        /// The store is said to hold this revision, whichever server wrote it.
        case announced(Revision)
        /// The rules of the room of this thread have changed so, in the order of the revisions. If other servers change them,
        /// too, some may be missing.
        case ruled([(revision: Revision, change: RowChange)])
        /// The room of this thread is said to have this revision.
        case ruleAnnounced(Revision)
        /// Another thread has read the rules of their room, as of this revision.
        case rulesRead(RoomRules, Revision)
        /// The thread of this message may have other replies. With the time of day.
        case summarize(MessageID, at: Milliseconds)
        /// New messages that another server has committed, in the order of their revisions. Some may be missing.
        case sent([InsertedMessage])
        case read(RoomReading)
        case readFailed(WireError)
        /// The answer to a ``Effect/readHeld(_:_:for:)``.
        case held(Ticket, Result<HeldReading, WireError>)
        /// The room differs from what another server has.
        case diverged
        /// The store's history was replaced, and all revisions with it.
        case renewed(Epoch)
    }

    package enum Effect: Equatable, Sendable {
        case commit(Operation, Ticket)
        /// The rules admit the visitor: carry out its request.
        case admit(Reader, Visitor, ReadRequest)
        /// The visitor may not follow the list: answer its request with the error.
        case turnAway(Reader, RoomList, visit: UInt64, ref: UInt64, WireError)
        /// The reader may no longer follow the list: send it nothing more of the list.
        case end(Reader, RoomList, visit: UInt64, ServerFrame.Ending)
        /// Send news to one reader.
        case send(Reader, ServerFrame)
        case read(Query)
        /// Read what a returning reader holds.
        case readHeld(HeldQuery, Ticket, for: Reader)
        /// Read the visitor's membership.
        case readMembership(Visitor, Ticket, for: Reader)
        case answer(Reader, ServerFrame)
        /// Send the delivery, then attach the reader to the outgoing log at its revision.
        case deliver(Reader, ref: UInt64?, ListDelivery<Message>)
        /// Send the diff to all attached readers.
        case publish(ListDiff<Message>)
        /// Break the outgoing log, because the next diff does not follow the last one. Every attached reader has fallen
        /// off it, and is reported as `behind` at the revision that it got to.
        case cutLog
        case close(Reader, WireError)
        /// Compare the fingerprint with those of other servers at this revision.
        case compare(Revision, fingerprint: UInt64)
    }

    /// A request that takes a role in the room, but not a subscription to its messages.
    package enum ReadRequest: Equatable, Sendable {
        /// A subscription to a list other than that of the messages.
        case list(RoomList, ref: UInt64, Resume?)
        case page(ref: UInt64, PagePlace, limit: Int)
        case audit(ref: UInt64, before: Revision, limit: Int)
        case members(ref: UInt64, MembersSearch)

        var ref: UInt64 {
            switch self {
            case .list(_, let ref, _), .page(let ref, _, _), .audit(let ref, _, _), .members(let ref, _): ref
            }
        }

        /// The list of a subscription; `nil` for another request.
        var list: RoomList? {
            if case .list(let list, _, _) = self { list } else { nil }
        }

        /// The least role for the request.
        package var least: Role {
            switch self {
            case .list, .page, .members: .read
            case .audit: .moderate
            }
        }
    }

    /// A room's read request to its store.
    package struct Query: Equatable, Sendable {
        package let tail: Int
        package let since: Revision?
        package let atMost: Int
        package let standings: StandingScope
    }

    struct Subscription: Sendable {
        let limit: Int
        let joined: Revision
        /// The revision of the last delivery to the reader.
        let since: Revision
    }

    /// A request that the store is to decide about.
    struct Unanswered: Sendable {
        let reader: Reader
        let ref: UInt64
        /// The refusal, while it waits for its time.
        var refusal: WireError?
        var delay = RefusalDelay()
    }
}

extension WireError {
    static let usedForSomethingElse = WireError(
        .idUsed, "this id was used for something else: make a new one for each command")

    package static let superseded = WireError(
        .superseded, "a later subscribe to this list came before the answer: that one is answered")

    /// The error for a missing role. It is the same whether or not the room exists and whatever it holds.
    package static func notGranted(_ least: Role, in room: RoomName, _ role: Role) -> WireError {
        WireError(
            .role,
            "room \(room): this needs the role '\(least)', and yours is '\(role)': an owner of the room may change that"
        )
    }

    /// The error for a user who is banned from an open room, in the words of ``notGranted(_:in:_:)``.
    package static func shutOut(_ least: Role, from room: RoomName) -> WireError {
        WireError(.banned, WireError.notGranted(least, in: room, .none).message)
    }

    /// The error for a user who is not a member of the room. It is the same whether or not the room exists.
    package static func notMember(of room: RoomName) -> WireError {
        let what = room.isThread ? "you do not follow thread" : "you are not a member of room"
        return WireError(.notMember, "\(what) \(room): join it first")
    }

    private static func onlyInvited(to room: RoomName) -> WireError {
        WireError(.invited, "you are only invited to room \(room): join it first, to accept the invitation")
    }

    private static func noCallToEveryone(in room: RoomName, _ role: Role) -> WireError {
        WireError(
            .everyone,
            "everyone: only moderators mention everybody in room \(room), and your role is '\(role)': "
                + "send it without `everyone`, or name people in `mentions`", field: "everyone")
    }

    private static func tooManyRooms(_ room: RoomName, _ wait: Milliseconds) -> WireError {
        WireError(
            .rooms,
            "room \(room) does not exist yet, and you have made as many as you may for now: wait, or use another",
            retryAfter: wait)
    }

    private static func directRoom(_ room: RoomName) -> WireError {
        WireError(
            .directRoom,
            "room \(room) is a direct room: it is for the people for whom it was created, it has no title, and nobody "
                + "leaves it, or a message to them would be lost")
    }

    private static func thread(_ thread: RoomName) -> WireError {
        WireError(.thread, "\(thread) is a thread: it has the rules of room \(thread.ruling)")
    }

    private static func noRoot(of thread: RoomName) -> WireError {
        WireError(
            .noMessage,
            "message \(thread.root?.description ?? "") is not in room \(thread.ruling), or was deleted: reply to another"
        )
    }

    private static func openRoom(_ room: RoomName) -> WireError {
        WireError(
            .openRoom,
            "room \(room) is open: everybody who may read it may join it; create a private room to invite people")
    }

    private static func banned(_ user: UserName, from room: RoomName) -> WireError {
        WireError(.theyAreBanned, "\(user) is banned from room \(room), must be unbanned first")
    }

    private static func notInvited(_ user: UserName, to room: RoomName) -> WireError {
        WireError(
            .notInvited, "author: \(user) is not invited to room \(room), must be invited first", field: "author")
    }

    private static func full(_ table: PeopleTable, of room: RoomName, _ most: Int) -> WireError {
        switch table {
        case .members:
            WireError(.members, "room \(room) has \(most) members and invited people, which is the most")
        case .standings:
            WireError(
                .standings,
                "room \(room) has \(most) people with a role, a mute or a ban of its own, which is the most: "
                    + "take those back that are not needed")
        case .senders:
            WireError(
                .slowMode,
                "room \(room) is in slow mode, and \(most) people have written within its time, which is the most: wait",
                retryAfter: 1_000)
        }
    }

    private static func tooManyMemberships(_ most: Int) -> WireError {
        WireError(.memberships, "you have joined or created \(most) rooms, which is the most: leave one first")
    }

    private static func tooManyGiven(by room: RoomName) -> WireError {
        WireError(.theirMemberships, "a person whom you add to room \(room) has too many rooms that others made")
    }

    private static func notOpen(_ id: MessageID) -> WireError {
        WireError(.notOpen, "message \(id) is not open: it was sent without `open`, or is closed")
    }

    private static func otherSize(_ id: MessageID, _ size: Int) -> WireError {
        WireError(.otherSize, "the text of message \(id) has \(size) bytes, so `at` must be \(size)", field: "at")
    }

    private static func textTooLong(_ id: MessageID, _ size: Int, _ most: Int) -> WireError {
        WireError(
            .tooLong, "the text of message \(id) would have \(size) bytes, must be at most \(most)", field: "text")
    }

    private static func tooManyPins(_ most: Int, in room: RoomName) -> WireError {
        WireError(.pins, "room \(room) has \(most) pinned messages, which is the most: unpin one first")
    }

    private static func notPinned(_ id: MessageID, in room: RoomName) -> WireError {
        WireError(.notPinned, "message \(id) is not pinned in room \(room): name one that is")
    }

    private static func notBelow(_ user: UserName, _ role: Role, in room: RoomName) -> WireError {
        WireError(
            .notBelow,
            "\(user) is '\(role)' in room \(room): you may do this only to those with a lower role than yours")
    }

    private static func unknownElsewhere(_ room: RoomName) -> WireError {
        WireError(
            .upgrading,
            "room \(room): not every server knows this command yet, while they are being upgraded: try later",
            retryAfter: 5_000)
    }

    init(_ refusal: Refusal, in room: RoomName) {
        switch refusal {
        case .notFound(let id): self.init(.noMessage, "message \(id) is not in this room, or was deleted")
        case .notOpen(let id): self = .notOpen(id)
        case .otherSize(let id, let size): self = .otherSize(id, size)
        case .textTooLong(let id, let size, let most): self = .textTooLong(id, size, most)
        case .notYours(let id): self.init(.notYours, "message \(id) is somebody else's: only its author may do this")
        case .tooManyReactions(let id): self.init(.reactions, "message \(id) has as many reactions as it may have")
        case .notGranted(let least, let role): self = .notGranted(least, in: room, role)
        case .shutOut(let least): self = .shutOut(least, from: room)
        case .noCallToEveryone(let role): self = .noCallToEveryone(in: room, role)
        case .muted(let span): self.init(.muted, "a moderator has muted you in room \(room)", retryAfter: span)
        case .readOnly: self.init(.readOnly, "room \(room) is read-only: only its moderators write")
        case .tooSoon(let wait):
            self.init(.slowMode, "room \(room) is in slow mode: wait before the next message", retryAfter: wait)
        case .notBelow(let user, let role): self = .notBelow(user, role, in: room)
        case .tooManyRooms(let wait): self = .tooManyRooms(room, wait)
        case .notMember: self = .notMember(of: room)
        case .onlyInvited: self = .onlyInvited(to: room)
        case .tooManyPins(let most): self = .tooManyPins(most, in: room)
        case .notPinned(let id): self = .notPinned(id, in: room)
        case .tooManyMemberships(let most): self = .tooManyMemberships(most)
        case .tooManyGiven: self = .tooManyGiven(by: room)
        case .full(let table, let most): self = .full(table, of: room, most)
        case .roomTaken where room.kind == .open:
            self.init(.roomTaken, "room \(room) exists already: join it, or choose another name")
        case .roomTaken: self = .usedForSomethingElse
        case .noRoom: self.init(.noRoom, "room \(room) does not exist: create it first")
        case .yourselfAmongPeople:
            self.init(.yourself, "people: you are among them, must be others only", field: "people")
        case .open: self = .openRoom(room)
        case .banned(let user): self = .banned(user, from: room)
        case .notInvited(let user): self = .notInvited(user, to: room)
        case .direct: self = .directRoom(room)
        case .thread: self = .thread(room)
        case .noRoot: self = .noRoot(of: room)
        case .yourself: self.init(.yourself, "user: this is yourself, must be another user", field: "user")
        case .notYet: self = .unknownElsewhere(room)
        }
    }
}
