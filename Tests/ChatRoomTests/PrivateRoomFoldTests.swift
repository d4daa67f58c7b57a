import ChatWire
import Testing

@testable import ChatRoom

/// What operations do in private and direct rooms.
struct PrivateRoomFoldTests {
    private let ann = UserName("ann")!
    private let bob = UserName("bob")!
    private let cid = UserName("cid")!
    private let title = RoomTitle("Plans")!
    private let few: WireLimits = {
        var limits = WireLimits()
        limits.memberships = 2
        return limits
    }()

    private func fold(
        _ action: RoomAction, by author: String = "ann", as role: Role = .write, asker: Operation.Requester = .user,
        members: [UserName: Membership] = [:], under rules: RoomRules, at revision: Revision = 7,
        limits: WireLimits = WireLimits()
    ) throws(Refusal) -> RowChange {
        var operation = Operation(
            command: .random(), author: UserName(author)!, role: role, time: 5, action: action)
        operation.requester = asker
        return try operation.fold(
            onto: nil, by: members[operation.author] ?? .guest(.none), besides: members, under: rules,
            at: revision, limits: limits)
    }

    private var owned: RoomRules {
        RoomRules(of: .private, standings: [ann: Standing(role: .own), bob: Standing(role: .write)])
    }

    private var direct: RoomRules {
        RoomRules(of: .direct, standings: [ann: Standing(role: .write), bob: Standing(role: .write)])
    }

    // MARK: - Creating

    @Test func whoCreatesAPrivateRoomOwnsItAndTheOthersAreInvited() throws {
        let change = try fold(
            .create(.private(people: [bob, cid], title: title)), under: RoomRules(of: .private), at: 1)

        #expect(
            change
                == .created(
                    [
                        Affiliation(ann, Standing(role: .own), .member),
                        Affiliation(bob, Standing(role: .write), .invited),
                        Affiliation(cid, Standing(role: .write), .invited),
                    ], title: title))
    }

    @Test func thePeopleOfADirectRoomAreItsMembersAtOnce() throws {
        let change = try fold(.create(.direct(people: [bob])), under: RoomRules(of: .direct), at: 1)

        #expect(
            change
                == .created(
                    [
                        Affiliation(ann, Standing(role: .write), .member),
                        Affiliation(bob, Standing(role: .write), .member),
                    ],
                    title: nil))
    }

    @Test func aDirectRoomThatIsThereIsFoundByItsPeople() throws {
        #expect(try fold(.create(.direct(people: [ann])), by: "bob", under: direct) == .nothing)
    }

    @Test func aPrivateRoomIsCreatedOnce() {
        #expect(throws: Refusal.roomTaken) { try fold(.create(.private(people: [])), under: owned) }
        #expect(throws: Refusal.roomTaken) { try fold(.create(.private(people: [])), by: "cid", under: owned) }
    }

    @Test(arguments: [Role.none, .read])
    func creatingNeedsAGrantToWrite(role: Role) {
        for new in [NewRoom.private(people: []), .direct(people: [bob])] {
            #expect(throws: Refusal.notGranted(.write, role)) {
                try fold(.create(new), as: role, under: RoomRules(of: new.kind), at: 1)
            }
        }
    }

    @Test func nobodyCreatesARoomForThemselves() {
        #expect(throws: Refusal.yourselfAmongPeople) {
            try fold(.create(.direct(people: [bob, ann])), under: RoomRules(of: .direct), at: 1)
        }
    }

    @Test func nobodyIsInvitedBeyondTheirLimit() throws {
        let rules = RoomRules(of: .private)
        let new = RoomAction.create(.private(people: [bob, cid]))

        #expect(throws: Refusal.tooManyGiven) {
            try fold(
                new, members: [bob: .guest(RoomCounts(atMost: 1)), cid: .guest(RoomCounts(atMost: 2))], under: rules,
                at: 1,
                limits: few)
        }
        #expect(throws: Refusal.tooManyMemberships(most: 2)) {
            try fold(new, members: [ann: .guest(RoomCounts(atMost: 2))], under: rules, at: 1, limits: few)
        }
        #expect(throws: Refusal.tooManyGiven) {
            try fold(
                .moderate(.appoint(cid, .read)), members: [cid: .guest(RoomCounts(atMost: 2))], under: owned,
                limits: few)
        }
        #expect(
            try fold(
                .moderate(.appoint(cid, .read)), members: [cid: .guest(RoomCounts(atMost: 1))], under: owned,
                limits: few)
                == .affiliated(Affiliation(cid, Standing(role: .read), .invited)))
    }

    @Test(arguments: [RoomName.Kind.private, .direct])
    func onlyACreationMakesSuchARoom(kind: RoomName.Kind) {
        let rules = RoomRules(of: kind)
        for action in [RoomAction.send("hi"), .join, .moderate(.slowMode(1))] {
            #expect(throws: Refusal.noRoom) { try fold(action, as: .own, asker: .service, under: rules, at: 1) }
            #expect(throws: Refusal.self) { try fold(action, as: .own, under: rules, at: 1) }
        }
    }

    // MARK: - Inviting

    @Test func whoIsAppointedIsInvitedAndStaysAMemberInAnotherRole() throws {
        #expect(
            try fold(.moderate(.appoint(cid, .write)), under: owned)
                == .affiliated(Affiliation(cid, Standing(role: .write), .invited)))
        for membership in [Membership.member(RoomSettings()), .invited(.none)] {
            #expect(
                try fold(.moderate(.appoint(bob, .moderate)), members: [bob: membership], under: owned)
                    == .ruled(.standing(bob, Standing(role: .moderate))))
        }
    }

    /// Whatever somebody was before, an invitation takes nothing from them.
    @Test(arguments: Role.allCases, [Membership.member(RoomSettings()), .invited(.none)])
    func anInvitationLetsInAndNeverDemotes(role: Role, membership: Membership) throws {
        var rules = owned
        rules.standings[cid] = Standing(role: role, mutedUntil: 99)
        let change = try fold(
            .moderate(.invite(cid)), members: role == .none ? [:] : [cid: membership], under: rules)

        switch role {
        case .none:
            #expect(change == .affiliated(Affiliation(cid, Standing(role: .write, mutedUntil: 99), .invited)))
        case .read: #expect(change == .ruled(.standing(cid, Standing(role: .write, mutedUntil: 99))))
        case .write, .moderate, .own: #expect(change == .nothing)
        }
        rules.apply(change)
        #expect(rules.role(of: cid, granted: .write) == max(role, .write))
    }

    @Test func onlyOwnersInviteAndTheBannedAreUnbannedFirst() throws {
        var rules = owned
        rules.standings[bob]?.role = .moderate
        rules.standings[cid] = Standing(isBanned: true)

        #expect(throws: Refusal.notGranted(.own, .moderate)) {
            try fold(.moderate(.invite(cid)), by: "bob", under: rules)
        }
        #expect(throws: Refusal.banned(cid)) { try fold(.moderate(.invite(cid)), under: rules) }
        #expect(throws: Refusal.yourself) { try fold(.moderate(.invite(ann)), under: rules) }
        #expect(throws: Refusal.tooManyGiven) {
            try fold(
                .moderate(.invite(UserName("dan")!)), members: [UserName("dan")!: .guest(RoomCounts(atMost: 2))],
                under: rules, limits: few)
        }
    }

    @Test func nobodyIsInvitedToAnOpenOrADirectRoom() throws {
        #expect(throws: Refusal.open) { try fold(.moderate(.invite(cid)), as: .own, under: RoomRules(of: .open)) }
        #expect(throws: Refusal.notGranted(.own, .moderate)) {
            try fold(.moderate(.invite(cid)), as: .moderate, under: RoomRules(of: .open))
        }
        #expect(throws: Refusal.direct) { try fold(.moderate(.invite(cid)), asker: .service, under: direct) }
        #expect(throws: Refusal.notGranted(.own, .write)) { try fold(.moderate(.invite(cid)), under: direct) }
    }

    @Test(arguments: [Moderation.appoint(UserName("bob")!, .none), .ban(UserName("bob")!)])
    func whoIsPutOutIsNoMemberAnyMore(moderation: Moderation) throws {
        for membership in [Membership.member(RoomSettings()), .invited(.none)] {
            let change = try fold(.moderate(moderation), members: [bob: membership], under: owned)

            #expect(change.leaver == bob && change.comers.isEmpty)
            #expect(change.standings.first?.standing.role(granted: .own, in: .private) == Role.none)
        }
    }

    @Test func anUnbannedPersonIsInvitedAgainIfTheirAppointmentStands() throws {
        var rules = owned
        rules.standings[bob]?.isBanned = true
        rules.standings[cid] = Standing(isBanned: true)

        #expect(
            try fold(.moderate(.unban(bob)), under: rules)
                == .affiliated(Affiliation(bob, Standing(role: .write), .invited)))
        #expect(try fold(.moderate(.unban(cid)), under: rules) == .ruled(.standing(cid, Standing())))
        #expect(
            try fold(.moderate(.appoint(bob, .read)), under: rules)
                == .ruled(.standing(bob, Standing(role: .read, isBanned: true))))
    }

    @Test func inAnOpenRoomAnAppointmentInvitesNobody() throws {
        let rules = RoomRules(of: .open, standings: [ann: Standing(role: .own)])

        #expect(try fold(.moderate(.appoint(bob, .own)), under: rules) == .ruled(.standing(bob, Standing(role: .own))))
    }

    // MARK: - By a service

    @Test func aServiceMakesThoseMembersWhoAreInvitedAndNoOthers() throws {
        #expect(
            try fold(.join, by: "bob", asker: .service, members: [bob: .invited(.none)], under: owned) == .joined(bob))
        #expect(throws: Refusal.notInvited(cid)) { try fold(.join, by: "cid", asker: .service, under: owned) }
        #expect(throws: Refusal.direct) { try fold(.join, by: "cid", asker: .service, under: direct) }
        let members = [bob: Membership.member(RoomSettings())]
        #expect(try fold(.join, by: "bob", asker: .service, members: members, under: direct) == .nothing)
        #expect(try fold(.join, by: "cid", as: .none, asker: .service, under: RoomRules(of: .open)) == .joined(cid))
        for kind in [RoomName.Kind.open, .private] {
            let rules = RoomRules(of: kind, standings: [cid: Standing(role: .write, isBanned: true)])
            #expect(throws: Refusal.banned(cid)) { try fold(.join, by: "cid", asker: .service, under: rules) }
        }
    }

    @Test func aServiceTakesPeopleOutWhereverTheyMayLeave() throws {
        let change = try fold(.leave, by: "bob", asker: .service, members: [bob: .invited(.none)], under: owned)

        #expect(change == .affiliated(Affiliation(bob, Standing(), nil)))
        #expect(try fold(.leave, by: "cid", asker: .service, under: owned) == .nothing)
        #expect(
            try fold(
                .leave, by: "cid", asker: .service, members: [cid: .member(RoomSettings())],
                under: RoomRules(of: .open))
                == .left(cid))
        #expect(throws: Refusal.direct) { try fold(.leave, by: "bob", asker: .service, under: direct) }
    }

    // MARK: - Accepting and leaving

    /// What others gave somebody counts for nothing when they answer.
    @Test func whoIsInvitedAcceptsByJoiningUnlessTheirOwnRoomsAreTooMany() throws {
        func accept(own: Int, given: Int) throws -> RowChange {
            let counts = RoomCounts(own: own, given: given, all: own + given)
            return try fold(.join, by: "bob", members: [bob: .invited(counts)], under: owned, limits: few)
        }

        #expect(try accept(own: 1, given: 99) == .joined(bob))
        #expect(throws: Refusal.tooManyMemberships(most: 2)) { try accept(own: 2, given: 1) }
        #expect(try fold(.join, by: "bob", members: [bob: .member(RoomSettings())], under: owned) == .nothing)
        #expect(throws: Refusal.notGranted(.read, .none)) { try fold(.join, by: "cid", as: .own, under: owned) }
    }

    @Test(arguments: [Membership.member(RoomSettings()), .invited(.none)])
    func whoLeavesOrDeclinesNeedsANewInvitation(membership: Membership) throws {
        let change = try fold(.leave, by: "bob", members: [bob: membership], under: owned)

        #expect(change == .affiliated(Affiliation(bob, Standing(), nil)))
        var rules = owned
        rules.apply(change)
        #expect(throws: Refusal.notGranted(.read, .none)) { try fold(.join, by: "bob", under: rules) }
    }

    @Test func aMuteOutlastsLeaving() throws {
        var rules = owned
        rules.standings[bob]?.mutedUntil = 99

        #expect(
            try fold(.leave, by: "bob", members: [bob: .member(RoomSettings())], under: rules)
                == .affiliated(Affiliation(bob, Standing(mutedUntil: 99), nil)))
    }

    @Test func nobodyLeavesADirectRoomOrGivesItATitleOrAppointsInIt() {
        #expect(throws: Refusal.direct) { try fold(.leave, members: [ann: .member(RoomSettings())], under: direct) }
        #expect(throws: Refusal.notGranted(.read, .none)) { try fold(.leave, by: "cid", under: direct) }
        for moderation in [
            Moderation.title(title), .topic(RoomTopic("a")), .picture(nil), .appoint(cid, .write), .appoint(bob, .none),
        ] {
            #expect(throws: Refusal.direct) { try fold(.moderate(moderation), asker: .service, under: direct) }
            #expect(throws: Refusal.self) { try fold(.moderate(moderation), under: direct) }
        }
    }

    // MARK: - Titles

    @Test func aTitleComesAndGoes() throws {
        var rules = owned
        let change = try fold(.moderate(.title(title)), under: rules)
        #expect(change == .ruled(.title(title)))

        rules.apply(change)
        #expect(rules.title == title)
        #expect(try fold(.moderate(.title(title)), under: rules) == .nothing)
        #expect(try fold(.moderate(.title(nil)), under: rules) == .ruled(.title(nil)))
        #expect(throws: Refusal.notGranted(.moderate, .write)) {
            try fold(.moderate(.title(nil)), by: "bob", under: rules)
        }
    }

    @Test(arguments: [RoomName.Kind.open, .private])
    func aTopicAndAPictureComeAndGoBesideTheTitle(kind: RoomName.Kind) throws {
        var rules = RoomRules(of: kind, title: title, standings: owned.standings)
        let (topic, picture) = (RoomTopic("What we do"), Picture("https://a.example/p.png"))
        for moderation in [Moderation.topic(topic), .picture(picture)] {
            rules.apply(try fold(.moderate(moderation), under: rules))
            #expect(try fold(.moderate(moderation), under: rules) == .nothing)
        }
        #expect((rules.title, rules.topic, rules.picture) == (title, topic, picture))

        #expect(try fold(.moderate(.topic(nil)), under: rules) == .ruled(.topic(nil)))
        #expect(try fold(.moderate(.picture(nil)), under: rules) == .ruled(.picture(nil)))
        for moderation in [Moderation.topic(nil), .picture(nil)] {
            #expect(throws: Refusal.notGranted(.moderate, .write)) {
                try fold(.moderate(moderation), by: "bob", under: rules)
            }
        }
    }

    @Test func thePeopleOfADirectRoomAreInTheOrderOfTheirBytes() {
        let rules = RoomRules(
            of: .direct,
            standings: [
                UserName("é")!: Standing(role: .write), UserName("z")!: Standing(role: .write, isBanned: true),
                UserName("a")!: Standing(role: .write), bob: Standing(mutedUntil: 7),
            ])

        #expect(rules.people.map(\.description) == ["a", "z", "é"])
        #expect(owned.people.isEmpty)
    }

    // MARK: - Repeats

    @Test func aConflictIsToldOnlyToThoseWhoMayDoTheThing() {
        let action = RoomAction.send("hi")
        func conflict(_ author: String, _ rules: RoomRules) -> CommitOutcome {
            let operation = Operation(
                command: .random(), author: UserName(author)!, role: .own, time: 0, action: action)
            var base = FoldBase(operation.readSet(in: rules.kind), of: rules.configuration)
            base.loadStandings(rules.standing)
            return operation.conflict(under: base)
        }

        #expect(conflict("bob", owned) == .conflict)
        #expect(conflict("cid", owned) == .refused(.notGranted(.write, .none)))
        #expect(conflict("cid", RoomRules(of: .open)) == .conflict)
    }
}
