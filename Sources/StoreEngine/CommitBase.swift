package import ChatRoom
package import ChatWire
package import RoomStore

/// The part of a room that decides about one operation, as a store has looked it up.
package struct CommitBase: Sendable {
    /// The room's.
    package let revision: Revision
    /// The operation that had this command before; `nil` if the command is new.
    package let earlier: CommittedOperation?
    /// The values that the operation's ``ChatRoom/ReadSet`` names.
    package let fold: FoldBase

    package init(revision: Revision, earlier: CommittedOperation?, fold: FoldBase) {
        self.revision = revision
        self.earlier = earlier
        self.fold = fold
    }
}

extension Operation {
    /// Decides about the operation. Every store commits so: it fetches the base, and writes the change if the outcome is
    /// `committed`.
    ///
    /// - Parameters:
    ///   - limits: see ``ChatRoom/Operation/fold(onto:at:limits:)``.
    ///   - isReadable: whether all servers of the store can read the operation.
    package func outcome(
        onto base: CommitBase, limits: WireLimits, if isReadable: () -> Bool = { true }
    ) -> CommitOutcome {
        if let earlier = base.earlier {
            return repeats(earlier.operation) ? .repeated(earlier.revision) : conflict(under: base.fold)
        }
        let next = base.revision + 1
        do throws(Refusal) {
            guard isReadable() else { throw .notYet }
            let change = try fold(onto: base.fold, at: next, limits: limits)
            // A leave creates no room, in which it could be remembered.
            let isOfNoRoom = base.revision == 0 && action == .leave
            if change == .nothing, isOfNoRoom || action.isItsOwnRepeat { return .repeated(base.revision) }
            return .committed(next, change)
        } catch {
            return .refused(error)
        }
    }
}
