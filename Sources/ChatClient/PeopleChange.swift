public import ChatWire
public import Diffable
public import Replicas

/// One change of the profiles of the people whom the client has asked for.
///
/// ```swift
/// let subscription = client.peopleDidChange.sink { change in
///     for user in change.changes.reconfigured { print("\(user) has another profile") }
/// }
/// client.know([ann])
/// ```
public struct PeopleChange: Sendable {
    public let cause: RoomChange.Cause
    /// The changed rows. A change of a profile reconfigures its row.
    public let changes: ReplicaChanges<UserName>
    /// The list after the change.
    public let view: PeopleView

    /// ``PeopleView/snapshot`` with the changed rows marked for reconfigure.
    public var snapshot: Snapshot<Person.Section, UserName> {
        var snapshot = view.snapshot
        snapshot.reconfigureItems(changes.reconfigured)
        return snapshot
    }
}

/// The profiles of the people whom the client has asked for, as of one revision of their list.
///
/// ```swift
/// print(view[ann]?.name?.description ?? ann.description)
/// ```
public struct PeopleView: Sendable {
    let replica: Replica<Person>

    /// The server's databases that do not answer now, by their numbers from 1. Some people are missing then, and come by a
    /// change. Empty for a whole list.
    public var missing: [Int] { replica.missing }

    public var epoch: Epoch { replica.epoch }
    public var revision: Revision { replica.revision }

    /// The people with a profile.
    public var people: [Person] { replica.rows }

    /// The ids of ``people``. Their section is always there.
    ///
    /// - Complexity: O(*n*).
    public var snapshot: Snapshot<Person.Section, UserName> {
        var snapshot = Snapshot<Person.Section, UserName>()
        snapshot.appendSections([.people])
        snapshot.appendItems(people.map(\.id), toSection: .people)
        return snapshot
    }

    /// Returns a user's profile; `nil` for a user without one, or one that was not requested.
    public subscript(user: UserName) -> Profile? { replica[user]?.light }
}
