import ChatRoom
import ChatWire

extension Operation {
    /// Folds the operation onto a room of which the test knows everything.
    ///
    /// - Parameters:
    ///   - row: the only message.
    ///   - membership: the author's, and `others` those of other people. People whom neither names are in no room.
    ///   - sizes: those of the room's tables of people.
    ///   - sent: the time of the author's last message in slow mode.
    func fold(
        onto row: Message?, by membership: Membership = .guest(.none),
        besides others: [UserName: Membership] = [:], under rules: RoomRules, sent: Milliseconds? = nil,
        sizes: RoomSizes = RoomSizes(), at revision: Revision, limits: WireLimits
    ) throws(Refusal) -> RowChange {
        var base = FoldBase(readSet(in: rules.kind), of: rules.configuration)
        _ = base.loadMessage { _ in row }
        base.loadStandings(rules.standing)
        base.loadMemberships { $0 == author ? membership : others[$0] ?? .guest(.none) }
        base.loadLastSend { _ in sent }
        base.loadSizes { _ in sizes }
        return try fold(onto: base, at: revision, limits: limits)
    }
}
