package import ChatWire
package import Publishing
import Replicas

/// One change of a list, as subscribers get it.
package protocol ListChange: Sendable {
    static var publisher: KeyPath<SessionDriver, Publisher<Self>> { get }
}

/// A kind of row whose lists a session follows.
///
/// A conformance is all that the session needs for a new kind of list.
protocol FollowedRow: WireRow {
    /// Returns the change for subscribers.
    static func change(
        _ change: RowsChange<Self>, of list: ListName, _ cause: RoomChange.Cause, in session: inout ClientSession
    ) -> (any ListChange)?
}

extension Message: FollowedRow {
    static func change(
        _ change: RowsChange<Message>, of list: ListName, _ cause: RoomChange.Cause, in _: inout ClientSession
    ) -> (any ListChange)? {
        list.room.map { room in
            RoomChange(
                room: room, cause: cause, changes: change.changes, gaps: change.gaps, deleted: change.deleted,
                view: RoomView(replica: change.replica))
        }
    }
}

extension Member: FollowedRow {
    static func change(
        _ change: RowsChange<Member>, of list: ListName, _: RoomChange.Cause, in _: inout ClientSession
    ) -> (any ListChange)? {
        list.room.map {
            MembersChange(room: $0, changes: change.changes, view: MembersView(replica: change.replica))
        }
    }
}

extension Pin: FollowedRow {
    static func change(
        _ change: RowsChange<Pin>, of list: ListName, _: RoomChange.Cause, in _: inout ClientSession
    ) -> (any ListChange)? {
        list.room.map {
            PinsChange(room: $0, changes: change.changes, view: PinsView(replica: change.replica))
        }
    }
}

extension MyRoom: FollowedRow {
    static func change(
        _ change: RowsChange<MyRoom>, of list: ListName, _ cause: RoomChange.Cause, in _: inout ClientSession
    ) -> (any ListChange)? {
        let view = RoomsView(replica: change.replica)
        return list == .myThreads
            ? ThreadsChange(cause: cause, changes: change.changes, view: view)
            : RoomsChange(cause: cause, changes: change.changes, view: view)
    }
}

extension MyMention: FollowedRow {
    static func change(
        _ change: RowsChange<MyMention>, of _: ListName, _ cause: RoomChange.Cause, in session: inout ClientSession
    ) -> (any ListChange)? {
        session.olderMentions.follow(change.replica)
        let view = MentionsView(change.replica, session.olderMentions)
        var changes = change.changes
        if cause == .subscribed { changes.inserted = view.mentions.map(\.id) }
        return MentionsChange(cause: cause, changes: changes, view: view)
    }
}

extension Person: FollowedRow {
    static func change(
        _ change: RowsChange<Person>, of _: ListName, _ cause: RoomChange.Cause, in _: inout ClientSession
    ) -> (any ListChange)? {
        PeopleChange(cause: cause, changes: change.changes, view: PeopleView(replica: change.replica))
    }
}

extension Draft: FollowedRow {
    static func change(
        _ change: RowsChange<Draft>, of _: ListName, _ cause: RoomChange.Cause, in _: inout ClientSession
    ) -> (any ListChange)? {
        DraftsChange(cause: cause, changes: change.changes, view: DraftsView(replica: change.replica))
    }
}

extension LaterItem: FollowedRow {
    static func change(
        _ change: RowsChange<LaterItem>, of _: ListName, _ cause: RoomChange.Cause, in _: inout ClientSession
    ) -> (any ListChange)? {
        LaterItemsChange(cause: cause, changes: change.changes, view: LaterItemsView(replica: change.replica))
    }
}

extension BlockedUser: FollowedRow {
    static func change(
        _ change: RowsChange<BlockedUser>, of _: ListName, _ cause: RoomChange.Cause, in _: inout ClientSession
    ) -> (any ListChange)? {
        BlockedChange(cause: cause, changes: change.changes, view: BlockedView(replica: change.replica))
    }
}

extension RoomChange: ListChange {
    package static var publisher: KeyPath<SessionDriver, Publisher<RoomChange>> { \.didChange }
}

extension MembersChange: ListChange {
    package static var publisher: KeyPath<SessionDriver, Publisher<MembersChange>> { \.membersDidChange }
}

extension PinsChange: ListChange {
    package static var publisher: KeyPath<SessionDriver, Publisher<PinsChange>> { \.pinsDidChange }
}

extension RoomsChange: ListChange {
    package static var publisher: KeyPath<SessionDriver, Publisher<RoomsChange>> { \.roomsDidChange }
}

extension ThreadsChange: ListChange {
    package static var publisher: KeyPath<SessionDriver, Publisher<ThreadsChange>> { \.threadsDidChange }
}

extension MentionsChange: ListChange {
    package static var publisher: KeyPath<SessionDriver, Publisher<MentionsChange>> { \.mentionsDidChange }
}

extension PeopleChange: ListChange {
    package static var publisher: KeyPath<SessionDriver, Publisher<PeopleChange>> { \.peopleDidChange }
}

extension LaterItemsChange: ListChange {
    package static var publisher: KeyPath<SessionDriver, Publisher<LaterItemsChange>> { \.laterDidChange }
}

extension BlockedChange: ListChange {
    package static var publisher: KeyPath<SessionDriver, Publisher<BlockedChange>> { \.blockedDidChange }
}

extension DraftsChange: ListChange {
    package static var publisher: KeyPath<SessionDriver, Publisher<DraftsChange>> { \.draftsDidChange }
}
