public import ChatWire

/// A step of who is in a room.
public struct MembersChange: Sendable {
    public let room: RoomName
    /// Who came, went and did what, by name.
    public let changes: ReplicaChanges<UserName>
    /// All after the step.
    public let view: MembersView
}

/// Who is in a room and who was lately, as of one revision.
public struct MembersView: Sendable {
    let replica: Replica<Member>

    public var epoch: Epoch { replica.epoch }
    public var revision: Revision { replica.revision }
    /// Those who are there and have a row, in the order of coming, then those who were, in the order of going.
    public var members: [Member] { replica.rows }
    /// How many are in each section, those without a row too.
    public func count(of section: Member.Section) -> Int {
        replica.counts?[section] ?? members.count { $0.section == section }
    }

    public subscript(name: UserName) -> Member? { replica[name] }
}
