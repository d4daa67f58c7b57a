package import ChatWire

/// One connection, as a room knows it.
package struct Reader: Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Names a commit under way, so that its outcome finds its command.
package typealias Ticket = UInt64

extension RoomState {
    package enum Input: Sendable {
        case subscribe(Reader, Visitor, ref: UInt64, limit: Int, Resume?)
        /// It asked to, or its connection ended.
        case unsubscribe(Reader)
        case enter(Reader, Visitor, ReadRequest)
        /// It follows the members no longer.
        case left(Reader)
        /// A fresh token says something else of what it may do with a list that it follows, or asks to follow.
        case regranted(Reader, ListName, Role)
        /// It fell off the outgoing log; what it has is this revision.
        case behind(Reader, Revision)
        case operate(Reader, ref: UInt64, Operation)
        /// In the order of commitment.
        case committed([(ticket: Ticket, outcome: CommitOutcome)])
        case commitFailed([Ticket], WireError)
        /// The store is said to hold this revision, whoever wrote it.
        case announced(Revision)
        case read(RoomReading)
        case readFailed(WireError)
        /// What stands here is not what stands on another server.
        case diverged
        /// The store's history is another from now on, and so are all revisions.
        case renewed(Epoch)
    }

    package enum Effect: Equatable, Sendable {
        case commit(Operation, Ticket)
        /// Its rules let it in: do what it came for.
        case admit(Reader, Visitor, ReadRequest)
        /// It may not follow the list: what it asked is answered with the error.
        case turnAway(Reader, ListName, visit: UInt64, ref: UInt64, WireError)
        /// It may not follow the list any longer: nothing more of it may get there.
        case end(Reader, ListName, visit: UInt64, ServerFrame.Ending)
        /// News for one reader.
        case tell(Reader, ServerFrame)
        case read(Query)
        case answer(Reader, ServerFrame)
        /// Send it, then attach the reader to the outgoing log at its revision.
        case deliver(Reader, ref: UInt64?, ListDelivery<Message>)
        /// To everybody who is attached.
        case publish(ListDiff<Message>)
        /// What comes next does not follow what is there: everybody who is attached has fallen off the outgoing log, and is
        /// said to be `behind` at the revision that it got to.
        case cutLog
        case close(Reader, WireError)
        /// To be held against what other servers have at this revision.
        case compare(Revision, fingerprint: UInt64)
    }

    /// What takes a right in the room, but none of its messages.
    package enum ReadRequest: Equatable, Sendable {
        case members(ref: UInt64, Resume?)
        case page(ref: UInt64, before: UInt64, limit: Int)
        case audit(ref: UInt64, before: Revision, limit: Int)

        var ref: UInt64 {
            switch self {
            case .members(let ref, _), .page(let ref, _, _), .audit(let ref, _, _): ref
            }
        }

        /// The role that it takes.
        package var least: Role {
            switch self {
            case .members, .page: .read
            case .audit: .moderate
            }
        }
    }

    /// What a room asks its store for.
    package struct Query: Equatable, Sendable {
        package let tail: Int
        package let since: Revision?
        package let atMost: Int
    }

    struct Subscription: Sendable {
        let limit: Int
        let joined: Revision
        /// Where it was brought to.
        let since: Revision
    }

    /// A reader that has subscribed, or fallen behind, and is not on the published line yet.
    struct Waiting: Sendable {
        let reader: Reader
        /// `nil` for one that fell behind: it asked for nothing, and was let in before.
        var request: (visitor: Visitor, ref: UInt64)?
        let limit: Int
        let resume: Resume?
        /// The read under way was asked for on its behalf too.
        var asked = false
        /// What the store's answer would mean for it, if that does not reach back to where it is.
        var found: ServerFrame.SnapshotReason?
    }
}

extension WireError {
    static let usedForSomethingElse = WireError(
        .conflict, "this id was used for something else: make a new one for each command")

    /// The same for everybody who may not, whatever there is in the room, and whether there is one.
    package static func notGranted(_ least: Role, in room: RoomName, _ role: Role) -> WireError {
        WireError(.forbidden, "room \(room): this takes '\(least)', and you have '\(role)': ask for a grant")
    }

    init(_ refusal: Refusal, in room: RoomName) {
        switch refusal {
        case .notFound(let id): self.init(.notFound, "message \(id) is not in this room, or was deleted")
        case .notYours(let id): self.init(.forbidden, "message \(id) is somebody else's: only its author may do this")
        case .idTaken(let id): self.init(.conflict, "message id \(id) is taken: make a new one for each message")
        case .tooManyReactions(let id): self.init(.tooLarge, "message \(id) has as many reactions as it may have")
        case .notGranted(let least, let role): self = .notGranted(least, in: room, role)
        case .muted(let span):
            self.init(.forbidden, "a moderator has muted you in room \(room)", retryAfter: span)
        case .readOnly: self.init(.forbidden, "room \(room) is read-only: only its moderators write")
        case .tooSoon(let wait):
            self.init(.rateLimited, "room \(room) is in slow mode: wait before the next message", retryAfter: wait)
        case .notBelow(let user, let role):
            self.init(.forbidden, "\(user) was appointed to '\(role)' in room \(room), which is not below you")
        case .tooManyRooms(let wait):
            self.init(
                .rateLimited,
                "room \(room) is not there, and you have made many lately: wait, or use one that is there",
                retryAfter: wait)
        case .yourself: self.init(.badRequest, "user: is you, must be somebody else")
        case .notYet:
            self.init(
                .unavailable,
                "room \(room): a server of an earlier version, which does not know this, runs yet: try later",
                retryAfter: 5_000)
        }
    }
}
