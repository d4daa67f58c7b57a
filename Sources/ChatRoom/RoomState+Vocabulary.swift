package import ChatWire

/// One connection, as a room knows it.
package struct Reader: Hashable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// Names a commit under way, so that its outcome finds its command.
package typealias Ticket = UInt64

extension RoomState {
    package enum Input: Sendable {
        case subscribe(Reader, ref: UInt64, limit: Int, Resume?)
        /// It asked to, or its connection ended.
        case unsubscribe(Reader)
        /// It fell off the outgoing log; what it has is this revision.
        case behind(Reader, Revision)
        case operate(Reader, ref: UInt64, Operation)
        /// In the order of commitment.
        case committed([(ticket: Ticket, outcome: CommitOutcome)])
        case commitFailed([Ticket], WireError)
        /// The store holds this revision, whoever wrote it.
        case announced(Revision)
        case read(RoomReading)
        case readFailed(WireError)
    }

    package enum Effect: Equatable, Sendable {
        case commit(Operation, Ticket)
        case read(Query)
        case answer(Reader, ServerFrame)
        /// Send it, then attach the reader to the outgoing log at its revision.
        case deliver(Reader, ref: UInt64?, ListDelivery<Message>)
        /// To everybody who is attached.
        case publish(ListDiff<Message>)
        case close(Reader, WireError)
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
        /// `nil` for one that fell behind: it asked for nothing.
        let ref: UInt64?
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

    init(_ refusal: Refusal) {
        switch refusal {
        case .notFound(let id): self.init(.notFound, "message \(id) is not in this room, or was deleted")
        case .notYours(let id): self.init(.forbidden, "message \(id) is somebody else's: only its author may do this")
        case .idTaken(let id): self.init(.conflict, "message id \(id) is taken: make a new one for each message")
        case .tooManyReactions(let id): self.init(.tooLarge, "message \(id) has as many reactions as it may have")
        }
    }
}
