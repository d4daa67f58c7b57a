package import ChatRoom
package import ChatWire

/// The part of a room that decides about one operation, as a store has looked it up.
package struct CommitBase: Sendable {
    /// The room's.
    package let revision: Revision
    /// The operation that had this command before; `nil` if the command is new.
    package let earlier: CommittedOperation?
    /// The message that the operation concerns, as it stands; `nil` if there is none.
    package let row: Message?
    /// The memberships of the people of ``ChatRoom/Operation/members(in:)``.
    package let memberships: [UserName: Membership]
    /// The room's rules, with at least the standings of the author and of the affected user.
    package let rules: RoomRules

    package init(
        revision: Revision, earlier: CommittedOperation?, row: Message?, memberships: [UserName: Membership],
        rules: RoomRules
    ) {
        self.revision = revision
        self.earlier = earlier
        self.row = row
        self.memberships = memberships
        self.rules = rules
    }
}

/// The work that is left for one operation of a batch.
package enum CommitStep: Sendable {
    /// Nothing: this is its outcome.
    case answer(CommitOutcome)
    /// To write the change and the operation as this revision.
    case write(RowChange, at: Revision)
}

extension Operation {
    /// Decides about the operation. Every store commits so: it looks up the base, and writes what the step says.
    ///
    /// - Parameters:
    ///   - limits: see ``ChatRoom/Operation/fold(onto:by:besides:under:at:limits:)``.
    ///   - isReadable: whether all servers of the store can read the operation.
    package func step(
        from base: CommitBase, limits: WireLimits, if isReadable: () -> Bool = { true }
    ) -> CommitStep {
        if let earlier = base.earlier {
            return .answer(
                repeats(earlier.operation) ? .repeated(earlier.revision) : conflict(under: base.rules))
        }
        let next = base.revision + 1
        do throws(Refusal) {
            guard isReadable() else { throw .notYet }
            let change = try fold(
                onto: base.row, by: base.memberships[author] ?? .guest(memberships: 0), besides: base.memberships,
                under: base.rules, at: next, limits: limits)
            // It is known without a revision of its own.
            if change == .nothing, action.isItsOwnRepeat { return .answer(.repeated(base.revision)) }
            return .write(change, at: next)
        } catch {
            return .answer(.refused(error))
        }
    }
}
