import ChatWire

/// The memory of a room without people: the people who left it lately, all that remains of a resting ``MembersState``.
///
/// - Shape: `people` in the order in which they left.
package struct MembersMemory: Sendable {
    struct Person: Sendable {
        let name: UserName
        let read: Revision
        /// The time at which the person is forgotten.
        let forgotten: Duration
    }

    let people: [Person]
    /// The earliest time of the next revision.
    let soonest: Duration

    /// The rows of these people, as of no revision.
    var rows: [Member] {
        people.map { person in
            Member(
                id: person.name, section: .offline, sort: Member.sort(of: person.name), rev: 0,
                light: Member.Light(read: person.read))
        }
    }
}
