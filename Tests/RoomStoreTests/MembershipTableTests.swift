import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

/// What each action makes of a person's membership, in every kind of room, for every standing of the person, and whether
/// a user or a service asks for it. The rules are written here in their own words: they share nothing with the fold.
struct MembershipTableTests {
    private let folder = TemporaryFolder()
    private let otherFolder = TemporaryFolder()

    @Test(arguments: StoreUnderTest.allCases, RoomName.Kind.allCases)
    func eachActionChangesNoMoreOfAMembershipThanItSays(kind: StoreUnderTest, room: RoomName.Kind) throws {
        let store = try kind.make(in: folder)
        var committed: Set<Deed> = []
        var number: UInt64 = 0

        for place in Place.allCases where place.exists(in: room) {
            for deed in Deed.allCases {
                for asker in [Operation.Requester.user, .service] {
                    number += 1_000
                    var scene = Scene(number, room, place, store)
                    try scene.prepare()
                    let before = try scene.row()

                    let outcome = try scene.perform(deed, asker)

                    let after = try scene.row()
                    let cell = "\(place), \(deed) by a \(asker): \(outcome)"
                    guard case .committed(let revision, _) = outcome else {
                        #expect(after == before, "\(cell)")
                        continue
                    }
                    committed.insert(deed)
                    #expect(after == scene.expected(deed, before, at: revision), "\(cell)")
                }
            }
        }

        #expect(Set(Deed.allCases).subtracting(committed) == Deed.refused(in: room))
    }

    /// What a batch does to a person is what its operations do one by one.
    @Test(arguments: StoreUnderTest.allCases, RoomName.Kind.allCases)
    func inOneBatchEachActionDoesTheSame(kind: StoreUnderTest, room: RoomName.Kind) throws {
        let (store, other) = (try kind.make(in: folder), try kind.make(in: otherFolder))
        var random = SplitMix64(seed: 7)
        var number: UInt64 = 0
        for place in Place.allCases where place.exists(in: room) {
            for _ in 0..<20 {
                number += 1_000
                var (scene, same) = (Scene(number, room, place, store), Scene(number, room, place, other))
                try scene.prepare()
                try same.prepare()
                let deeds = (0..<4).map { _ in
                    (Deed.allCases.randomElement(using: &random)!, Operation.Requester.service)
                }

                let whole = try store.commit(deeds.map { scene.operation($0, $1) })
                let single = try deeds.map { try same.perform($0, $1) }

                #expect(whole == single, "\(place): \(deeds.map(\.0))")
                #expect(try scene.row() == same.row(), "\(place): \(deeds.map(\.0))")
            }
        }
    }
}

/// The standing of the person whom an action concerns.
private enum Place: CaseIterable {
    case owner, moderator, member, reader, invited, bannedMember, mutedMember, guest

    func exists(in kind: RoomName.Kind) -> Bool {
        switch (self, kind) {
        case (.invited, .open), (.reader, .open): false
        case (.invited, .direct), (.reader, .direct), (.owner, .direct), (.moderator, .direct): false
        case (_, _): true
        }
    }

    /// The role to which the person is appointed in a private room.
    var role: Role {
        switch self {
        case .owner: .own
        case .moderator: .moderate
        case .reader: .read
        case .member, .invited, .bannedMember, .mutedMember: .write
        case .guest: .none
        }
    }
}

/// What happens: by the room's owner to the person or to the room, or by the person.
private enum Deed: CaseIterable {
    case mute, unmute, kick, ban, unban
    case appointNone, appointRead, appointWrite, appointModerate, appointOwn, invite
    case slowMode, readOnly, title, topic, picture, ownerSends, ownerMentions, ownerDeletes, ownerCreatesAgain
    case join, leave, pin, archive, markUnread, send, edit, delete, react, createAgain

    /// Those that no place and no asker makes possible.
    static func refused(in kind: RoomName.Kind) -> Set<Deed> {
        switch kind {
        case .open: [.invite, .ownerCreatesAgain, .createAgain]
        case .private: [.ownerCreatesAgain, .createAgain]
        case .direct:
            [
                .appointNone, .appointRead, .appointWrite, .appointModerate, .appointOwn, .invite, .title, .topic,
                .picture, .leave, .ownerCreatesAgain, .createAgain,
            ]
        }
    }
}

/// One room with an owner, and with a person whose membership is watched.
private struct Scene {
    /// What a store tells of a membership.
    struct Row: Equatable {
        var isMember: Bool
        var joined: Revision
        var time: Milliseconds
        var inviter: UserName?
        var read: Revision
        var settings = RoomSettings()
        var unread: Int
        var mentions: Int
    }

    private let kind: RoomName.Kind
    private let place: Place
    private let store: any RoomStore
    private let room: RoomName
    private let (owner, person): (UserName, UserName)
    private var number: UInt64
    private let first: UInt64
    /// The ids of a message of the owner's and of one of the person's, if there is one.
    private var theirs, own: UniqueID?

    init(_ number: UInt64, _ kind: RoomName.Kind, _ place: Place, _ store: any RoomStore) {
        (self.number, first, self.kind, self.place, self.store) = (number, number + 1, kind, place, store)
        owner = UserName("owner")!
        person = UserName("bob-\(number)")!
        room =
            switch kind {
            case .open: RoomName("room-\(number)")!
            case .private: RoomName(privateRoomOf: id(number + 1))
            case .direct: RoomName(directRoomOf: id(number + 1))
            }
    }

    func row() throws -> Row? {
        try store.memberships(of: [person], in: room)[person].map { reading in
            Row(
                isMember: reading.kind == .member, joined: reading.joined, time: reading.time, inviter: reading.inviter,
                read: reading.read, settings: reading.settings, unread: reading.unread, mentions: reading.mentions)
        }
    }

    private mutating func next(
        _ action: RoomAction, by author: UserName, asker: Operation.Requester = .user
    ) -> RoomOperation {
        number += 1
        var operation = Operation(
            command: id(number), author: author, role: author == owner && kind == .open ? .own : .write,
            time: Milliseconds(number), action: action)
        operation.requester = asker
        return RoomOperation(room: room, operation: operation)
    }

    private var creation: RoomAction {
        switch kind {
        case .open: .create(.open(room))
        case .private: .create(.private(people: place == .guest ? [] : [person]))
        case .direct: .create(.direct(people: place == .guest ? [UserName("cid")!] : [person]))
        }
    }

    /// Brings the person to their place. Members have settings, and something unread that mentions them.
    mutating func prepare() throws {
        var batch = [next(creation, by: owner)]
        if place != .guest, place != .invited {
            if kind != .direct { batch.append(next(.join, by: person)) }
            batch.append(next(.send("mine"), by: person))
            own = batch.last?.operation.command
        }
        if kind != .direct, [.owner, .moderator, .reader].contains(place) {
            batch.append(next(.moderate(.appoint(person, place.role)), by: owner))
        }
        batch.append(next(.send("theirs"), by: owner))
        theirs = batch.last?.operation.command
        let read = Revision(batch.count)
        batch.append(next(.send("unread"), by: owner))
        batch.append(next(.send(MessageContent("@bob", mentions: [person])), by: owner))
        if own != nil {
            batch.append(next(.settings(SettingsChange(pinned: .at(5), isMuted: true, isArchived: true)), by: person))
        }
        if place == .mutedMember {
            batch.append(next(.moderate(.mute(person, for: 1 << 40)), by: owner, asker: .service))
        }
        if place == .bannedMember { batch.append(next(.moderate(.ban(person)), by: owner, asker: .service)) }
        let outcomes = try store.commit(batch)
        try #require(outcomes.allSatisfy { if case .committed = $0 { true } else { false } }, "\(place) \(outcomes)")
        _ = try store.commit([], marking: [ReadMark(room: room, user: person, revision: read)])
    }

    mutating func operation(_ deed: Deed, _ asker: Operation.Requester) -> RoomOperation {
        next(action(of: deed), by: deed.isTheirOwn ? person : owner, asker: asker)
    }

    mutating func perform(_ deed: Deed, _ asker: Operation.Requester) throws -> CommitOutcome {
        let outcomes = try store.commit([operation(deed, asker)])
        return try #require(outcomes.first)
    }

    private func action(of deed: Deed) -> RoomAction {
        switch deed {
        case .mute: .moderate(.mute(person, for: 60_000))
        case .unmute: .moderate(.unmute(person))
        case .kick: .moderate(.kick(person))
        case .ban: .moderate(.ban(person))
        case .unban: .moderate(.unban(person))
        case .appointNone: .moderate(.appoint(person, .none))
        case .appointRead: .moderate(.appoint(person, .read))
        case .appointWrite: .moderate(.appoint(person, .write))
        case .appointModerate: .moderate(.appoint(person, .moderate))
        case .appointOwn: .moderate(.appoint(person, .own))
        case .invite: .moderate(.invite(person))
        case .slowMode: .moderate(.slowMode(1))
        case .readOnly: .moderate(.readOnly(.on))
        case .title: .moderate(.title(RoomTitle("Plans")))
        case .topic: .moderate(.topic(RoomTopic("What we do")))
        case .picture: .moderate(.picture(Picture("https://a.example/p.png")))
        case .ownerSends, .send: .send("hello")
        case .ownerMentions: .send(MessageContent("@bob", mentions: [person]))
        case .ownerDeletes: .delete(theirs!)
        case .ownerCreatesAgain, .createAgain: creation
        case .join: .join
        case .leave: .leave
        case .pin: .settings(SettingsChange(pinned: .at(9)))
        case .archive: .settings(SettingsChange(isArchived: false))
        case .markUnread: .settings(SettingsChange(isMarked: true))
        case .edit: .edit(own ?? id(1), "mine!")
        case .delete: .delete(own ?? id(1))
        case .react: .react(theirs!, emoji: "👍", .on)
        }
    }

    /// The membership after an action that was carried out.
    func expected(_ deed: Deed, _ before: Row?, at revision: Revision) -> Row? {
        switch deed {
        case .mute, .unmute, .kick, .slowMode, .readOnly, .title, .topic, .picture, .ownerCreatesAgain, .createAgain,
            .edit, .delete, .react, .ownerDeletes, .ownerSends, .ownerMentions:
            return counted(deed, before)
        case .send: return spoken(before, at: revision)
        case .ban, .leave: return nil
        case .appointNone: return kind == .open ? before : nil
        case .unban: return kind != .open && before == nil && place.role != .none ? admitted(at: revision) : before
        case .appointRead, .appointWrite, .appointModerate, .appointOwn, .invite:
            return before ?? (kind == .open || place == .bannedMember ? nil : admitted(at: revision))
        case .join: return before?.isMember == true ? before : Row.joined(at: revision, time: time)
        case .pin, .archive, .markUnread: return set(deed, before, at: revision)
        }
    }

    private var time: Milliseconds { Milliseconds(number) }

    /// Somebody who comes by another's action: invited to a private room, a member of a direct one.
    private func admitted(at revision: Revision) -> Row {
        if kind == .direct { return Row.joined(at: revision, time: time) }
        return Row(
            isMember: false, joined: 0, time: time, inviter: owner, read: 0, unread: own == nil ? 3 : 4, mentions: 1)
    }

    /// The same membership; what is said later counts as unread, and a read message that is deleted counts for nothing.
    private func counted(_ deed: Deed, _ before: Row?) -> Row? {
        guard var row = before else { return nil }
        if deed == .ownerSends || deed == .ownerMentions { row.unread += 1 }
        if deed == .ownerMentions { row.mentions += 1 }
        if deed == .ownerDeletes, !row.isMember { row.unread -= 1 }
        return row
    }

    /// A member who says something has read everything up to it; what somebody says who is only invited is unread.
    private func spoken(_ before: Row?, at revision: Revision) -> Row? {
        guard var row = before else { return nil }
        (row.read, row.unread, row.mentions) = row.isMember ? (revision, 0, 0) : (0, row.unread + 1, row.mentions)
        return row
    }

    private func set(_ deed: Deed, _ before: Row?, at revision: Revision) -> Row? {
        guard var row = before else { return nil }
        if deed == .pin { row.settings.pinned = 9 }
        if deed == .archive { row.settings.isArchived = false }
        if deed == .markUnread { row.settings.marked = revision }
        return row
    }
}

extension Scene.Row {
    /// Somebody who becomes a member has read everything.
    fileprivate static func joined(at revision: Revision, time: Milliseconds) -> Self {
        Self(isMember: true, joined: revision, time: time, inviter: nil, read: revision, unread: 0, mentions: 0)
    }
}

extension Deed {
    fileprivate var isTheirOwn: Bool {
        switch self {
        case .join, .leave, .pin, .archive, .markUnread, .send, .edit, .delete, .react, .createAgain: true
        case .mute, .unmute, .kick, .ban, .unban, .appointNone, .appointRead, .appointWrite, .appointModerate,
            .appointOwn, .invite, .slowMode, .readOnly, .title, .topic, .picture, .ownerSends, .ownerMentions,
            .ownerDeletes, .ownerCreatesAgain:
            false
        }
    }
}
