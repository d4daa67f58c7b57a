import ChatRoom
import ChatWire
import Testing

struct FoldTests {
    private let ann = UserName("ann")!
    private let bob = UserName("bob")!
    private let id = MessageID(high: 0, low: 1)

    private func row(text: String = "hello", reactions: [Reaction] = []) -> Message {
        Message(
            id: id, section: .history, sort: 3, rev: 3, author: ann, time: 50, content: MessageContent(text),
            reactions: reactions)
    }

    /// Returns the result of `action` on `row` at revision 7 and time 100.
    private func fold(
        _ action: RoomAction, by author: String = "ann", onto row: Message?,
        _ membership: Membership = .guest(.none), limits: WireLimits = WireLimits()
    ) throws(Refusal) -> RowChange {
        let command = if case .send = action { id } else { CommandID(high: 1, low: 1) }
        let author = UserName(known: author)!
        let operation = Operation(command: command, author: author, role: .write, time: 100, action: action)
        return try operation.fold(onto: row, by: membership, under: RoomRules(of: .open), at: 7, limits: limits)
    }

    // MARK: - Send

    @Test func aSendInsertsItsMessageAtItsRevision() throws {
        let reply = MessageID(high: 0, low: 9)

        #expect(
            try fold(.send(MessageContent("hello", replyTo: reply)), onto: nil)
                == .inserted(
                    Message(
                        id: id, section: .socket, sort: 7, rev: 7, author: ann, time: 100,
                        content: MessageContent("hello", replyTo: reply)), at: 100))
    }

    // MARK: - Edit

    @Test func anEditReloadsTheTextAndKeepsTheRest() throws {
        let before = row(reactions: [Reaction(emoji: "👍", users: [bob])])
        var after = before
        after.content.text = "bye"
        after.edited = 100
        after.rev = 7

        #expect(try fold(.edit(id, "bye"), onto: before) == .reloaded(after))
    }

    @Test func anEditToTheSameTextIsNothing() throws {
        #expect(try fold(.edit(id, "hello"), onto: row()) == .nothing)
    }

    @Test func anEditThatChangesOnlyTheBytesOfACharacterIsAnEdit() throws {
        #expect(try fold(.edit(id, "caf\u{E9}"), onto: row(text: "cafe\u{301}")) != .nothing)
    }

    @Test func anotherPersonsMessageIsNotEdited() {
        #expect(throws: Refusal.notYours(id)) { try fold(.edit(id, "bye"), by: "bob", onto: row()) }
    }

    // MARK: - Delete

    @Test func aDeleteRemovesTheRow() throws {
        #expect(try fold(.delete(id), onto: row()) == .deleted(id, sort: row().sort))
    }

    @Test func anotherPersonsMessageIsNotDeleted() {
        #expect(throws: Refusal.notYours(id)) { try fold(.delete(id), by: "bob", onto: row()) }
    }

    // MARK: - React

    @Test func aReactionIsAddedAfterThoseBeforeIt() throws {
        var after = row(reactions: [Reaction(emoji: "👍", users: [bob, ann])])
        after.rev = 7

        #expect(
            try fold(.react(id, emoji: "👍", .on), onto: row(reactions: [Reaction(emoji: "👍", users: [bob])]))
                == .reconfigured(after))
    }

    @Test func aReactionWithoutItsLastUserGoes() throws {
        var after = row()
        after.rev = 7

        #expect(
            try fold(.react(id, emoji: "👍", .off), onto: row(reactions: [Reaction(emoji: "👍", users: [ann])]))
                == .reconfigured(after))
    }

    @Test(arguments: [(ClientFrame.Switch.on, "ann"), (.off, "bob")])
    func aReactionThatIsSoAlreadyIsNothing(direction: ClientFrame.Switch, user: String) throws {
        let row = row(reactions: [Reaction(emoji: "👍", users: [ann])])

        #expect(try fold(.react(id, emoji: "👍", direction), by: user, onto: row) == .nothing)
    }

    @Test func aReactionOverTheLimitOfEmojisIsRefused() {
        var limits = WireLimits()
        limits.reactions = 1
        let row = row(reactions: [Reaction(emoji: "👍", users: [ann])])

        #expect(throws: Refusal.tooManyReactions(id)) {
            try fold(.react(id, emoji: "👎", .on), onto: row, limits: limits)
        }
    }

    @Test func aReactionOverTheLimitOfPeopleIsRefused() {
        var limits = WireLimits()
        limits.reactors = 2
        let row = row(reactions: [Reaction(emoji: "👍", users: [ann, bob])])

        #expect(throws: Refusal.tooManyReactions(id)) {
            try fold(.react(id, emoji: "👍", .on), by: "carl", onto: row, limits: limits)
        }
    }

    @Test func aReactionOverTheLimitOfBytesIsRefusedAndOneLessIsTaken() throws {
        let row = row(reactions: [Reaction(emoji: "👍", users: [ann, bob])])
        var limits = WireLimits()
        limits.reactionBytes = row.light.size + 3 + "carl".utf8.count

        #expect(try fold(.react(id, emoji: "👍", .on), by: "carl", onto: row, limits: limits) != .nothing)
        limits.reactionBytes -= 1
        #expect(throws: Refusal.tooManyReactions(id)) {
            try fold(.react(id, emoji: "👍", .on), by: "carl", onto: row, limits: limits)
        }
        limits.reactionBytes = 0
        #expect(try fold(.react(id, emoji: "👍", .off), by: "bob", onto: row, limits: limits) != .nothing)
    }

    // MARK: - Spellings

    /// Equal as strings, and two people.
    private var message: Message {
        Message(
            id: id, section: .history, sort: 3, rev: 3, author: UserName("Jos\u{E9}")!, time: 50, content: "hello",
            reactions: [Reaction(emoji: "👍", users: [UserName("Jos\u{E9}")!])])
    }

    @Test func whoseNameIsEquivalentIsSomebodyElse() throws {
        let other = "Jose\u{301}"

        #expect(throws: Refusal.notYours(id)) { try fold(.edit(id, "bye"), by: other, onto: message) }
        #expect(throws: Refusal.notYours(id)) { try fold(.delete(id), by: other, onto: message) }
        #expect(try fold(.react(id, emoji: "👍", .on), by: other, onto: message) != .nothing)
        #expect(try fold(.react(id, emoji: "👍", .off), by: other, onto: message) == .nothing)
    }

    @Test func anotherSpellingIsAnotherOperation() {
        let texts = ["caf\u{E9}", "cafe\u{301}"]
        let actions: [(String) -> RoomAction] = [
            { .send(MessageContent($0)) }, { .edit(id, ContentEdit($0)) }, { .react(id, emoji: $0, .on) },
        ]
        for action in actions {
            let operations = texts.map {
                Operation(command: id, author: ann, role: .write, time: 1, action: action($0))
            }
            #expect(!operations[0].repeats(operations[1]) && operations[0].repeats(operations[0]))
        }
    }

    // MARK: - Memberships

    @Test func whoIsNoMemberJoins() throws {
        #expect(try fold(.join, onto: nil) == .joined(ann))
        #expect(try fold(.leave, onto: nil) == .nothing)
    }

    @Test func whoIsAMemberLeaves() throws {
        #expect(try fold(.join, onto: nil, .member(RoomSettings())) == .nothing)
        #expect(try fold(.leave, onto: nil, .member(RoomSettings())) == .left(ann))
    }

    @Test func aMembershipOverTheLimitIsRefusedAndOneLessIsTaken() throws {
        var limits = WireLimits()
        limits.memberships = 2

        #expect(throws: Refusal.tooManyMemberships(most: 2)) {
            try fold(.join, onto: nil, .guest(RoomCounts(atMost: 2)), limits: limits)
        }
        #expect(try fold(.join, onto: nil, .guest(RoomCounts(atMost: 1)), limits: limits) == .joined(ann))
        #expect(try fold(.join, onto: nil, .member(RoomSettings()), limits: limits) == .nothing)
    }

    @Test func aBanEndsAMembershipAndNoOtherRuleDoes() {
        let rules: [RuleChange] = [
            .standing(bob, Standing(mutedUntil: 9, kicked: 3)), .slowMode(5), .readOnly(true),
        ]

        #expect(RowChange.ruled(.standing(bob, Standing(isBanned: true))).leaver == bob)
        #expect(rules.allSatisfy { RowChange.ruled($0).leaver == nil })
        #expect(RowChange.left(bob).leaver == bob && RowChange.joined(bob).leaver == nil)
    }

    @Test func whoMayNotMakeARoomMayLeaveOneThatIsNotThere() throws {
        var leave = Operation(command: id, author: ann, role: .read, time: 1, action: .leave)
        leave.founding = .refused(wait: 5)
        var join = Operation(command: id, author: ann, role: .read, time: 1, action: .join)
        join.founding = .refused(wait: 5)

        #expect(try leave.fold(onto: nil, under: RoomRules(of: .open), at: 1, limits: WireLimits()) == .nothing)
        #expect(throws: Refusal.tooManyRooms(wait: 5)) {
            try join.fold(onto: nil, under: RoomRules(of: .open), at: 1, limits: WireLimits())
        }
    }

    // MARK: - Missing messages

    @Test(arguments: 0..<3)
    func anOperationOnAMessageThatIsNotThereIsRefused(index: Int) {
        let actions: [RoomAction] = [.edit(id, "bye"), .delete(id), .react(id, emoji: "👍", .on)]

        #expect(throws: Refusal.notFound(id)) { try fold(actions[index], onto: nil) }
    }

    // MARK: - Repeats

    @Test func anOperationRepeatsOneThatDiffersInNothingButTimeAndRole() {
        let first = Operation(
            command: id, author: ann, role: .write, time: 1, action: .send("hello"))
        let again = Operation(
            command: id, author: ann, role: .own, time: 2, action: .send("hello"))

        #expect(again.repeats(first))
    }

    @Test func anOperationRepeatsOneThatAnEarlierVersionStoredWithOtherLineEnds() {
        func operation(_ text: String) -> [Operation] {
            [.send(MessageContent(text)), .edit(id, ContentEdit(text))].map {
                Operation(command: id, author: ann, role: .write, time: 1, action: $0)
            }
        }

        for (again, first) in zip(operation("a\nb\n"), operation("a\r\nb\r")) {
            #expect(again.repeats(first))
        }
        #expect(!operation("a\n\nb")[0].repeats(operation("a\r\nb")[0]))
    }

    @Test func anOperationWithOtherContentIsNoRepeat() {
        let first = Operation(
            command: id, author: ann, role: .write, time: 1, action: .send("hello"))
        let others = [
            Operation(command: id, author: ann, role: .write, time: 1, action: .send("bye")),
            Operation(
                command: id, author: ann, role: .write, time: 1, action: .send(MessageContent("hello", replyTo: id))),
            Operation(command: id, author: bob, role: .write, time: 1, action: .send("hello")),
            Operation(command: id, author: ann, role: .write, time: 1, action: .delete(id)),
        ]

        #expect(others.allSatisfy { !$0.repeats(first) })
    }
}
