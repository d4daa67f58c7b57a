import ChatClient
import ChatWire
import Testing

@testable import diffroom

/// The words in which a refusal is told.
@Suite struct RefusalTextTests {
    private let plans = RoomName("~5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2")!
    private let pair = RoomName("@97049da5464956062d0e94be5f061ee5")!
    private let forbidden = WireError(
        .role, "room ~5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2: this needs the role 'own', and yours is 'write'")

    private func text(_ room: RoomName, _ action: RoomAction, _ error: WireError? = nil) -> String {
        Command(id: .random(), room: room, action: action).refusal(error ?? forbidden, RoomLabels())
    }

    @Test func whoMayInviteIsToldToThoseWhoMayNot() {
        let (bob, room) = (UserName("bob")!, "private room 5f0c7d2e")

        #expect(text(plans, .moderate(.invite(bob))) == "only the owner may invite to \(room)")
        #expect(text(plans, .moderate(.appoint(bob, .none))) == "only the owner may invite to \(room)")
        #expect(text(plans, .moderate(.title(nil))) == "only the owner, or a moderator, gives \(room) a title")
        #expect(text(pair, .moderate(.title(nil))).contains("has no moderators"))
        #expect(text(pair, .leave, WireError(.invalid, "no")).hasPrefix("a direct room cannot be left"))
        #expect(text(plans, .join) == "\(room): this needs the role 'own', and yours is 'write'")
        #expect(text(plans, .join, WireError(.tooLong, "500 rooms")) == "500 rooms")
        #expect(
            text(RoomName("lobby")!, .moderate(.kick(bob)), WireError(.role, "room lobby: no")) == "room lobby: no"
        )
    }

    @Test func anOpenRoomThatIsThereAlreadyIsFoundAndNoOther() throws {
        let tea = try #require(RoomName("tea"))
        let create = Command(id: .random(), creating: .open(tea))
        let isThere = WireError(.idUsed, "room tea is there already")

        #expect(create.roomFound(isThere) == tea)
        #expect(create.roomFound(forbidden) == nil)
        #expect(Command(id: .random(), creating: .private(people: [])).roomFound(isThere) == nil)
        #expect(Command(id: .random(), room: tea, action: .join).roomFound(isThere) == nil)
    }

    @Test func nobodyIsInvitedWhereEverybodyMayComeAnyway() {
        #expect(plans.faultOfInviting == nil)
        #expect(RoomName("lobby")?.faultOfInviting?.contains("/create makes a private room") == true)
        #expect(pair.faultOfInviting?.contains("for its people only") == true)
    }
}
