import ChatWire
import Testing

@testable import ChatRoom

/// An operation is folded onto what it declared, and onto nothing else.
struct FoldBaseTests {
    private static let ann = UserName("ann")!
    private static let bob = UserName("bob")!
    private static let id = MessageID(high: 0, low: 7)

    private static func operation(_ action: RoomAction) -> Operation {
        Operation(command: .random(), author: ann, role: .own, time: 5, action: action)
    }

    private static let moderations: [Moderation] = [
        .mute(bob, for: 5), .unmute(bob), .kick(bob), .ban(bob), .unban(bob), .appoint(bob, .none),
        .appoint(bob, .read), .appoint(bob, .own), .invite(bob), .slowMode(5), .readOnly(.on), .title(nil), .topic(nil),
        .picture(nil), .pin(id, .last), .unpin(id),
    ]

    private static let actions: [RoomAction] =
        [
            .send("a"), .send(MessageContent("a", mentions: Mentioned([], everyone: true))),
            .edit(id, "b"), .edit(id, ContentEdit("b", mentions: Mentioned([], everyone: true))), .delete(id),
            .react(id, emoji: "👍", .on), .join, .leave, .settings(SettingsChange(isMuted: true)),
        ] + moderations.map { .moderate($0) }

    private static func creation(of kind: RoomName.Kind) -> RoomAction {
        switch kind {
        case .open: .create(.open(RoomName("tea")!))
        case .private: .create(.private(people: [bob]))
        case .direct: .create(.direct(people: [bob]))
        }
    }

    /// What an operation depends on is what it declares: the fold of none reads anything else, whatever it finds.
    @Test(arguments: RoomName.Kind.allCases)
    func noFoldReadsWhatItsOperationDoesNotDeclare(kind: RoomName.Kind) {
        let standings = [
            Standing(), Standing(role: .read), Standing(role: .write), Standing(role: .moderate), Standing(role: .own),
            Standing(role: .write, mutedUntil: 99), Standing(role: .write, isBanned: true),
        ]
        let memberships: [Membership] = [
            .member(RoomSettings()), .invited(.none), .guest(.none),
            .guest(RoomCounts(own: .max / 2, given: .max / 2, all: .max)),
        ]
        let row = Message(
            id: Self.id, section: .history, sort: 1, rev: 1, author: Self.ann, time: 0, content: "old")
        var folds = 0
        for action in Self.actions + [Self.creation(of: kind)] {
            for (own, other) in standings.flatMap({ own in standings.map { (own, $0) } }) {
                for membership in memberships {
                    for (revision, slow) in [(1, 0), (9, 0), (9, 60_000)] as [(Revision, Milliseconds)] {
                        for asker in [Operation.Requester.user, .service] {
                            var operation = Self.operation(action)
                            operation.requester = asker
                            let rules = RoomRules(
                                of: kind, slowMode: slow, standings: [Self.ann: own, Self.bob: other])
                            _ = try? operation.fold(
                                onto: row, by: membership, besides: [Self.bob: membership], under: rules, sent: 1,
                                at: revision, limits: WireLimits())
                            folds += 1
                        }
                    }
                }
            }
        }

        #expect(folds == (Self.actions.count + 1) * 49 * 4 * 6)
    }

    @Test func whatWasNotDeclaredCannotBeRead() async {
        await #expect(processExitsWith: .failure) {
            var base = Self.base(of: .moderate(.mute(Self.bob, for: 5)))
            base.loadStandings { _ in Standing() }
            _ = base.membership(of: Self.bob)
        }
        await #expect(processExitsWith: .failure) {
            var base = Self.base(of: .send("a"))
            base.loadStandings { _ in Standing() }
            _ = base.standing(of: Self.bob)
        }
    }

    @Test func nothingIsFoldedOntoWhatWasNotLoaded() async {
        await #expect(processExitsWith: .failure) {
            var base = Self.base(of: .moderate(.ban(Self.bob)))
            base.loadStandings { _ in Standing() }
            _ = try? Self.operation(.moderate(.ban(Self.bob))).fold(onto: base, at: 9, limits: WireLimits())
        }
    }

    private static func base(of action: RoomAction) -> FoldBase {
        FoldBase(operation(action).readSet(in: .private), of: RoomConfiguration(of: .private))
    }
}
