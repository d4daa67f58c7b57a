package import ChatWire

/// What a room remembers of who was there while nobody is: all that a ``MembersState`` at rest comes down to.
///
/// - Shape: `people` in the order of their rows.
package struct MembersMemory: Sendable {
    struct Person: Sendable {
        let name: UserName
        let sort: UInt64
        let rev: Revision
        let read: Revision
        /// When nobody wants to know any more.
        let forgotten: Duration
    }

    let people: [Person]
    let revision: Revision
    let lastSort: UInt64
    /// When the next revision may be made.
    let soonest: Duration
    package let epoch: Epoch

    /// Their rows.
    var rows: [Member] {
        people.map { person in
            Member(
                id: person.name, section: .offline, sort: person.sort, rev: person.rev,
                light: Member.Light(read: person.read))
        }
    }
}
