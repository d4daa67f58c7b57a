import ChatWire
import Replicas

extension RoomChange {
    /// Returns one change in the place of this one and of the next one of the same room.
    func merged(with next: RoomChange) -> RoomChange {
        let net = changes.merged(with: next.changes)
        let gone = Set(net.deleted)
        return RoomChange(
            room: room, cause: cause.merged(with: next.cause), changes: net, gaps: gaps.merged(with: next.gaps),
            deleted: (deleted + next.deleted).filter { gone.contains($0.id) }, view: next.view)
    }
}

extension RoomChange.Cause {
    /// Returns the cause of both changes: a snapshot or a first state, if one of them is that, else an absence unless they agree.
    fileprivate func merged(with next: Self) -> Self {
        switch (self, next) {
        case (_, .snapshot), (_, .subscribed): next
        case (.snapshot, _), (.subscribed, _): self
        default: self == next ? self : .caughtUp
        }
    }
}

extension ReplicaChanges {
    /// Returns the changes of both, one after the other: a row that came and went is in neither list.
    ///
    /// - Complexity: O(changes).
    func merged(with next: Self) -> Self {
        let (came, went) = (Set(inserted), Set(next.deleted))
        let returned = Set(deleted).intersection(next.inserted)
        var net = Self()
        net.deleted = deleted.filter { !returned.contains($0) } + next.deleted.filter { !came.contains($0) }
        net.inserted = inserted.filter { !went.contains($0) } + next.inserted.filter { !returned.contains($0) }
        var known = went.union(net.inserted)
        net.moved = (moved + next.moved + next.inserted.filter(returned.contains)).unique(except: known)
        net.reloaded = (reloaded + next.reloaded + next.inserted.filter(returned.contains)).unique(except: known)
        known.formUnion(net.reloaded)
        net.reconfigured = (reconfigured + next.reconfigured).unique(except: known)
        return net
    }
}

extension GapChanges {
    fileprivate func merged(with next: Self) -> Self {
        let (appeared, closed) = (Set(appeared.map(\.id)), Set(next.closed.map(\.id)))
        return GapChanges(
            appeared: self.appeared.filter { !closed.contains($0.id) } + next.appeared,
            closed: self.closed + next.closed.filter { !appeared.contains($0.id) })
    }
}

extension Array where Element: Hashable {
    /// Each element once, where it comes first.
    fileprivate func unique(except known: Set<Element>) -> [Element] {
        var known = known
        return filter { known.insert($0).inserted }
    }
}
