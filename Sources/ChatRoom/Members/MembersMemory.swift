package import ChatWire

/// The memory of a room without people: all that remains of a resting ``MembersState``.
///
/// - Shape: `people` in the order of their rows.
package struct MembersMemory: Sendable {
    struct Person: Sendable {
        let name: UserName
        let sort: UInt64
        let rev: Revision
        let read: Revision
        /// The time at which the person is forgotten.
        let forgotten: Duration
    }

    let people: [Person]
    let revision: Revision
    let lastSort: UInt64
    /// The earliest time of the next revision.
    let soonest: Duration
    package let epoch: Epoch

    /// The rows of these people.
    var rows: [Member] {
        people.map { person in
            Member(
                id: person.name, section: .offline, sort: person.sort, rev: person.rev,
                light: Member.Light(read: person.read))
        }
    }
}
