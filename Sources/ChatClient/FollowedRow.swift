import ChatWire
import Replicas

/// A kind of row whose lists a session follows.
protocol FollowedRow: ListRow {
    /// The room, or the user, to which a list of these rows belongs.
    associatedtype Owner: Hashable & Comparable & Sendable
    /// One change of such a list, as subscribers get it.
    associatedtype Change: Sendable

    static var sessions: WritableKeyPath<ClientSession, [Owner: ListSession<Self>]> { get }
    static func list(of owner: Owner) -> ListName
    /// Returns the owner of a list; `nil` for a list of other rows.
    static func owner(of list: ListName) -> Owner?
    static func change(
        of owner: Owner, _ cause: RoomChange.Cause, _ changes: ReplicaChanges<ID>, _ gaps: GapChanges,
        deleted: [Self], to replica: Replica<Self>, in session: inout ClientSession
    ) -> Change
    static func effect(_ change: Change) -> SessionEffect
    /// Returns the ids of all rows that a screen of the list shows, in order.
    static func shown(of replica: Replica<Self>, in session: ClientSession) -> [ID]
    static func refusal(of owner: Owner, _ error: WireError) -> SessionNotice
}

extension FollowedRow {
    static func shown(of replica: Replica<Self>, in _: ClientSession) -> [ID] { replica.rows.map(\.id) }
}

extension Message: FollowedRow {
    static var sessions: WritableKeyPath<ClientSession, [RoomName: ListSession<Message>]> { \.rooms }

    static func list(of room: RoomName) -> ListName { .messages(room) }

    static func owner(of list: ListName) -> RoomName? {
        if case .messages(let room) = list { room } else { nil }
    }

    static func change(
        of room: RoomName, _ cause: RoomChange.Cause, _ changes: ReplicaChanges<MessageID>, _ gaps: GapChanges,
        deleted: [Message], to replica: Replica<Message>, in _: inout ClientSession
    ) -> RoomChange {
        RoomChange(
            room: room, cause: cause, changes: changes, gaps: gaps, deleted: deleted, view: RoomView(replica: replica))
    }

    static func effect(_ change: RoomChange) -> SessionEffect { .changed(change) }

    static func refusal(of room: RoomName, _ error: WireError) -> SessionNotice { .roomRefused(room, error) }
}

extension Member: FollowedRow {
    static var sessions: WritableKeyPath<ClientSession, [RoomName: ListSession<Member>]> { \.people }

    static func list(of room: RoomName) -> ListName { .members(room) }

    static func owner(of list: ListName) -> RoomName? {
        if case .members(let room) = list { room } else { nil }
    }

    static func change(
        of room: RoomName, _ cause: RoomChange.Cause, _ changes: ReplicaChanges<UserName>, _ gaps: GapChanges,
        deleted: [Member], to replica: Replica<Member>, in _: inout ClientSession
    ) -> MembersChange {
        MembersChange(room: room, changes: changes, view: MembersView(replica: replica))
    }

    static func effect(_ change: MembersChange) -> SessionEffect { .membersChanged(change) }

    static func refusal(of room: RoomName, _ error: WireError) -> SessionNotice { .membersRefused(room, error) }
}

/// The owner of a client's own lists, of rooms, mentions and profiles: the connection's user.
enum Me: Comparable, Sendable {
    case me
}

extension MyRoom: FollowedRow {
    static var sessions: WritableKeyPath<ClientSession, [Me: ListSession<MyRoom>]> { \.mine }

    static func list(of _: Me) -> ListName { .myRooms }

    static func owner(of list: ListName) -> Me? { list == .myRooms ? .me : nil }

    static func change(
        of _: Me, _ cause: RoomChange.Cause, _ changes: ReplicaChanges<RoomName>, _ gaps: GapChanges,
        deleted: [MyRoom], to replica: Replica<MyRoom>, in _: inout ClientSession
    ) -> RoomsChange {
        RoomsChange(cause: cause, changes: changes, view: RoomsView(replica: replica))
    }

    static func effect(_ change: RoomsChange) -> SessionEffect { .roomsChanged(change) }

    static func refusal(of _: Me, _ error: WireError) -> SessionNotice { .roomsRefused(error) }
}

extension MyMention: FollowedRow {
    static var sessions: WritableKeyPath<ClientSession, [Me: ListSession<MyMention>]> { \.mentions }

    static func list(of _: Me) -> ListName { .myMentions }

    static func owner(of list: ListName) -> Me? { list == .myMentions ? .me : nil }

    static func change(
        of _: Me, _ cause: RoomChange.Cause, _ changes: ReplicaChanges<ID>, _ gaps: GapChanges,
        deleted: [MyMention], to replica: Replica<MyMention>, in session: inout ClientSession
    ) -> MentionsChange {
        session.olderMentions.follow(replica)
        let view = MentionsView(replica, session.olderMentions)
        return MentionsChange(cause: cause, changes: changes, view: view)
    }

    static func effect(_ change: MentionsChange) -> SessionEffect { .mentionsChanged(change) }

    static func shown(of replica: Replica<MyMention>, in session: ClientSession) -> [ID] {
        (session.olderMentions.rows + replica.rows).map(\.id)
    }

    static func refusal(of _: Me, _ error: WireError) -> SessionNotice { .mentionsRefused(error) }
}

extension Person: FollowedRow {
    static var sessions: WritableKeyPath<ClientSession, [Me: ListSession<Person>]> { \.profiles }

    static func list(of _: Me) -> ListName { .myPeople }

    static func owner(of list: ListName) -> Me? { list == .myPeople ? .me : nil }

    static func change(
        of _: Me, _ cause: RoomChange.Cause, _ changes: ReplicaChanges<UserName>, _ gaps: GapChanges,
        deleted: [Person], to replica: Replica<Person>, in _: inout ClientSession
    ) -> PeopleChange {
        PeopleChange(cause: cause, changes: changes, view: PeopleView(replica: replica))
    }

    static func effect(_ change: PeopleChange) -> SessionEffect { .peopleChanged(change) }

    static func refusal(of _: Me, _ error: WireError) -> SessionNotice { .peopleRefused(error) }
}
