import ChatRoom
import ChatServer
import ChatWire
import Replicas
import RoomStore
import TestSupport
import Testing

/// At rest, every device has exactly the rooms, threads or mentions that the store says, whatever happened before.
@Suite(.enabled(if: StoreOfTheRun.current == .sqlite, "about no store"))
struct InboxLawTests {
    private static let people = ["ann", "bob", "cem"].map { UserName($0)! }
    private static let secrets = (0..<2 as Range<UInt64>).map { CommandID(high: 1, low: $0) }
    private static let pair = RoomName("@00112233445566778899aabbccddeeff")!
    private static let rooms =
        ["a", "b", "c", "d"].map { RoomName($0)! } + secrets.map { RoomName(privateRoomOf: $0) } + [pair]

    /// The last ones found faults that the others had not.
    @Test(arguments: Array(UInt64(0)..<200) + [331, 333, 831])
    func atRestEveryDeviceHasTheRoomsOfTheStore(seed: UInt64) throws {
        try play(InboxWorld(seed: seed, people: Self.people))
    }

    /// Blocks that come and go more quickly than the store answers.
    @Test(arguments: UInt64(0)..<100)
    func quickBlocksMakeNoDifference(seed: UInt64) throws {
        let world = InboxWorld(seed: seed, people: Self.people)
        let new = NewRoom.direct(people: [Self.people[1]])
        world.operate(.create(new), in: Self.pair, by: Self.people[0], as: .write, id: CommandID(high: 9, low: 9))
        try world.settle()
        try play(world, blocking: 0.5)
    }

    /// The law can fail.
    @Test func lettersThatAreLostAreFound() {
        #expect(throws: (any Error).self) {
            for seed in UInt64(0)..<20 {
                try play(InboxWorld(seed: seed, people: Self.people, losingLetters: true))
            }
        }
    }

    /// Whatever the order in which hash tables have their keys, which is another in each.
    @Test(arguments: UInt64(0)..<20)
    func theSameInputsAreDecidedAlike(seed: UInt64) throws {
        let worlds = [InboxWorld(seed: seed, people: Self.people), InboxWorld(seed: seed, people: Self.people)]

        for world in worlds { try play(world) }

        let isAlike = worlds[0].devices.map(\.frames) == worlds[1].devices.map(\.frames)
        #expect(isAlike)
    }

    struct Differs: Error {
        let user: UserName
        let has: [String]
        let lacks: [String]
    }

    /// - Parameter share: of what happens, so much are blocks.
    private func play(_ world: InboxWorld, blocking share: Double = 0.05) throws {
        var messages: [RoomName: [(id: MessageID, author: UserName)]] = [:]
        var last: UInt64 = 0
        for _ in 0..<3 {
            for _ in 0..<30 {
                last += 1
                if world.chance(share) { try block(in: world) } else { try act(in: world, number: last, &messages) }
                for _ in 0..<Int.random(in: 0...2, using: &world.random) { try world.deliver() }
                try world.pass(.milliseconds(world.chance(0.1) ? 130_000 : .random(in: 0...200, using: &world.random)))
            }
            try world.settle()
            try check(world)
        }
        for room in Self.rooms.shuffled(using: &world.random) {
            last += 1
            let id = CommandID(high: 0, low: last)
            world.operate(.send("last"), in: room, by: InboxWorld.root, as: .own, id: id)
            try world.settle()
        }
        try check(world)
        for device in world.devices where device.list != .mentions {
            let rows = device.rooms?.rows ?? []
            #expect(Set(rows.map(\.sort)).count == rows.count)
        }
    }

    /// An old list has the order of a new one: that of the rooms' activities, and of their names where these are equal.
    private func checkOrder(of device: InboxDevice, in world: InboxWorld) throws {
        let readings = try visible(to: device, in: world)
        for section in MyRoom.Section.allCases where section != .pinned {
            let names = device.rooms?.rows.filter { $0.section == section }.map(\.id) ?? []
            let right = readings.filter { self.section(of: $0) == section }.sorted {
                (max(ActivityStamp(of: $0.time), $0.activity), $0.room)
                    < (max(ActivityStamp(of: $1.time), $1.activity), $1.room)
            }
            guard names == right.map(\.room).suffix(names.count) else {
                throw Differs(
                    user: device.user, has: names.map(\.description),
                    lacks: right.map { "\($0.room) \($0.activity.rawValue)" })
            }
        }
    }

    private func check(_ world: InboxWorld) throws {
        for device in world.devices {
            try checkOrder(of: device, in: world)
            let (rows, truth) =
                device.list != .mentions
                ? (rooms(of: device), try rooms(of: device, in: world))
                : (mentions(of: device), try mentions(of: device, in: world))
            let has = Set(rows).subtracting(truth)
            let lacks = Set(truth).subtracting(rows).subtracting(try spared(device, in: world))
            guard device.isFollowing, has.isEmpty, lacks.isEmpty, device.grants.count == 1 else {
                throw Differs(user: device.user, has: has.sorted(), lacks: lacks.sorted())
            }
        }
    }

    /// The rooms that need not have a row, because as many others of their section have one as the device asked for.
    private func spared(_ device: InboxDevice, in world: InboxWorld) throws -> Set<String> {
        guard device.list != .mentions, let replica = device.rooms else { return [] }
        let readings = try visible(to: device, in: world)
        var spared: [MembershipReading] = []
        for section in MyRoom.Section.allCases {
            let all = readings.filter { self.section(of: $0) == section }
            let shown = Set(replica.rows.filter { $0.section == section }.map(\.id))
            guard replica.counts?[section] == all.count else {
                throw Differs(user: device.user, has: ["\(replica.counts ?? [:])"], lacks: ["\(section) \(all.count)"])
            }
            guard section == .rooms || section == .archived, shown.count >= min(device.limit, all.count) else {
                continue
            }
            spared += all.filter { !shown.contains($0.room) }
        }
        return Set(texts(of: spared, for: device, places(in: readings), in: world))
    }

    private func rooms(of device: InboxDevice) -> [String] {
        device.rooms?.rows.map { row in
            "\(row.id) \(row.section) \(row.section == .pinned ? row.sort : 0) \(row.people) \(row.light)"
        } ?? []
    }

    private func rooms(of device: InboxDevice, in world: InboxWorld) throws -> [String] {
        let readings = try visible(to: device, in: world)
        return texts(of: readings, for: device, places(in: readings), in: world)
    }

    private func texts(
        of readings: [MembershipReading], for device: InboxDevice, _ places: [RoomName: UInt64],
        in world: InboxWorld
    ) -> [String] {
        readings.map { reading in
            let (room, isMember) = (reading.room, reading.kind == .member)
            let light = MyRoom.Light(
                unread: UInt64(reading.unread), mentions: UInt64(reading.mentions), read: reading.read,
                inviter: reading.inviter, title: reading.title, picture: reading.picture,
                isMuted: reading.settings.isMuted,
                isMarked: reading.isMarked, last: reading.last.map { LastMessage($0) },
                root: reading.root.map { LastMessage($0) },
                isTyping: isMember && world.hasOthers(where: \.isTyping, besides: device.user, in: room),
                isHere: isMember && room.kind == .direct && !room.isThread
                    && world.hasOthers(where: \.isHere, besides: device.user, in: room))
            let (place, people) = (places[reading.room] ?? 0, reading.people.filter { $0 != device.user })
            return "\(reading.room) \(section(of: reading)) \(place) \(people) \(light)"
        }
    }

    private func visible(to device: InboxDevice, in world: InboxWorld) throws -> [MembershipReading] {
        try world.store.memberships(of: device.user)
            .filter { $0.role(granted: device.grants[0].role(in: $0.room)) >= .read }
            .filter { try !isHidden($0, in: world) }
            .filter { device.list == .mentions || $0.room.isThread == (device.list == .threads) }
    }

    /// Rooms of invitations by somebody whom the user has blocked are hidden, and the direct room with them; and their threads.
    private func isHidden(_ reading: MembershipReading, in world: InboxWorld) throws -> Bool {
        let (room, blocked) = (reading.room.ruling, try blocked(by: reading.user, in: world))
        if room == Self.pair { return !blocked.isDisjoint(with: Self.people.prefix(2)) }
        guard let ruling = try world.store.memberships(of: [reading.user], in: room)[reading.user] else { return false }
        return ruling.kind == .invited && ruling.inviter.map(blocked.contains) ?? false
    }

    private func blocked(by user: UserName, in world: InboxWorld) throws -> Set<UserName> {
        Set(try world.store.blocks(of: [user])[user]?.map(\.user) ?? [])
    }

    private func mentions(of device: InboxDevice) -> [String] {
        let rows = device.mentions?.rows ?? []
        #expect(rows.map(\.time) == rows.map(\.time).sorted())
        return rows.map { "\($0.id) \($0.author) \($0.time) \($0.light)" }
    }

    /// Counted from all messages: there are fewer than a list may have.
    private func mentions(of device: InboxDevice, in world: InboxWorld) throws -> [String] {
        let blocked = try blocked(by: device.user, in: world)
        return try visible(to: device, in: world).filter { $0.kind == .member }.flatMap { reading in
            try world.store.read(reading.room, tail: 1_000, since: nil, atMost: 0).tail.filter { row in
                row.author != device.user && !blocked.contains(row.author)
                    && (row.mentions.everyone || row.mentions.people.contains(device.user))
            }.map { row in
                let light = MyMention.Light(text: row.text, isRead: row.sort <= reading.read)
                let id = MyMention.ID(room: reading.room, message: row.id)
                return "\(id) \(row.author) \(row.time) \(light)"
            }
        }
    }

    private func section(of reading: MembershipReading) -> MyRoom.Section {
        if reading.kind == .invited { return .invited }
        return reading.settings.isArchived ? .archived : reading.settings.pinned != nil ? .pinned : .rooms
    }

    /// Pinned rooms stand where they are to, or behind the one that stands there.
    private func places(in readings: [MembershipReading]) -> [RoomName: UInt64] {
        let pinned = readings.filter { section(of: $0) == .pinned }.sorted {
            ($0.settings.pinned!, $0.room.description) < ($1.settings.pinned!, $1.room.description)
        }
        var places: [RoomName: UInt64] = [:]
        for reading in pinned {
            places[reading.room] = [reading.settings.pinned!, (places.values.max() ?? 0) + 1].max()!
        }
        return places
    }

    // MARK: - What happens

    private func act(
        in world: InboxWorld, number: UInt64, _ messages: inout [RoomName: [(id: MessageID, author: UserName)]]
    ) throws {
        let room = place(in: world, messages)
        let (user, id) = (Self.people.randomElement(using: &world.random)!, CommandID(high: 0, low: number))
        func operate(_ action: RoomAction, by author: UserName = user, as role: Role = .write) {
            world.operate(action, in: room, by: author, as: role, id: id)
        }
        switch Int.random(in: 0..<140, using: &world.random) {
        case 120...:
            let isHere = world.chance(0.7)
            world.appear(
                Presence(name: user, isHere: isHere, isTyping: isHere && world.chance(0.5), read: 0), in: room)
        case 100..<120: operate(.settings(settings(in: world)))
        case 0..<16: operate(.join)
        case 16..<20: operate(.leave)
        case 20..<40:
            messages[room, default: []].append((id, user))
            let mentions = mentions(in: world)
            operate(
                .send(MessageContent("text \(number)", mentions: mentions, isAway: world.chance(0.3))),
                as: mentions.everyone ? .moderate : .write)
        case 40..<46:
            guard let message = messages[room]?.randomElement(using: &world.random) else { return }
            let mentions = mentions(in: world)
            operate(
                .edit(message.id, ContentEdit("edit \(number)", mentions: mentions)), by: message.author,
                as: mentions.everyone ? .moderate : .write)
        case 46..<56:
            guard let message = messages[room]?.randomElement(using: &world.random) else { return }
            operate(.delete(message.id), by: InboxWorld.root, as: .own)
        case 56..<68: try mark(room, user, in: world)
        case 68..<77: operate(.moderate(moderation(of: user, in: world)), by: moderator(in: world), as: .own)
        case 77..<78: try world.trim()
        case 78..<79: if world.chance(0.3) { try world.restore() }
        case 79..<84: create(by: user, number: number, in: world)
        default: act(with: world.devices.randomElement(using: &world.random)!, in: world)
        }
    }

    /// A room, or the thread of one of its first messages.
    private func place(in world: InboxWorld, _ messages: [RoomName: [(id: MessageID, author: UserName)]]) -> RoomName {
        let room = Self.rooms.randomElement(using: &world.random)!
        guard world.chance(0.4), let root = messages[room]?.prefix(2).randomElement(using: &world.random) else {
            return room
        }
        return room.thread(of: root.id)
    }

    /// Places that are taken, and marks that a read mark on its way may end or not.
    private func settings(in world: InboxWorld) -> SettingsChange {
        switch Int.random(in: 0..<5, using: &world.random) {
        case 0, 1: SettingsChange(pinned: world.chance(0.2) ? .off : .at(.random(in: 1...4, using: &world.random)))
        case 2: SettingsChange(isArchived: world.chance(0.5))
        case 3:
            world.chance(0.5)
                ? SettingsChange(unreadFrom: .random(in: 1...30, using: &world.random))
                : SettingsChange(isMarked: world.chance(0.7))
        default: SettingsChange(isMuted: world.chance(0.5), isMarked: world.chance(0.5))
        }
    }

    private func create(by user: UserName, number: UInt64, in world: InboxWorld) {
        let (ann, bob) = (Self.people[0], Self.people[1])
        guard world.chance(0.7), let secret = Self.secrets.randomElement(using: &world.random) else {
            let new = NewRoom.direct(people: [user == ann ? bob : ann])
            return world.operate(
                .create(new), in: Self.pair, by: user == ann ? ann : bob, as: .write,
                id: CommandID(high: 0, low: number))
        }
        let people = mentions(in: world).people.filter { $0 != user }
        let title = world.chance(0.5) ? RoomTitle("Plans") : nil
        world.operate(
            .create(.private(people: people, title: title)), in: RoomName(privateRoomOf: secret), by: user, as: .write,
            id: secret)
    }

    /// The direct room is that of the first two.
    private func block(in world: InboxWorld) throws {
        let people = Self.people.shuffled(using: &world.random)
        let isPair = Set(people.prefix(2)) == Set(Self.people.prefix(2))
        let room = isPair ? Self.pair : RoomName("@00000000000000000000000000000000")!
        try world.block(people[0], by: people[1], in: room, world.chance(0.5))
    }

    private func mentions(in world: InboxWorld) -> Mentioned {
        let people = Self.people.shuffled(using: &world.random).prefix(Int.random(in: 0...2, using: &world.random))
        return Mentioned(Array(people), everyone: world.chance(0.2))
    }

    private func mark(_ room: RoomName, _ user: UserName, in world: InboxWorld) throws {
        guard let reading = try world.store.memberships(of: [user], in: room)[user] else { return }
        let revision = Revision.random(
            in: max(1, reading.revision - min(9, reading.revision))...max(1, reading.revision), using: &world.random)
        world.mark(ReadMark(room: room, user: user, revision: revision))
    }

    /// The operator, or somebody who may own the private room.
    private func moderator(in world: InboxWorld) -> UserName {
        world.chance(0.7) ? InboxWorld.root : Self.people.randomElement(using: &world.random)!
    }

    private func moderation(of user: UserName, in world: InboxWorld) -> Moderation {
        switch Int.random(in: 0..<13, using: &world.random) {
        case 11:
            .picture(
                world.chance(0.3)
                    ? nil : Picture("https://a.example/\(Int.random(in: 0...9, using: &world.random))"))
        case 12: .topic(RoomTopic("about \(user)"))
        case 10: .invite(user)
        case 8: .title(world.chance(0.3) ? nil : RoomTitle("title of \(user)"))
        case 0...1: .ban(user)
        case 2...3: .unban(user)
        case 4: .mute(user, for: 1_000)
        case 5: .kick(user)
        default: .appoint(user, [.none, .read, .moderate].randomElement(using: &world.random)!)
        }
    }

    private func act(with device: InboxDevice, in world: InboxWorld) {
        if world.chance(0.3) {
            world.post(device.show(InboxWorld.grants.randomElement(using: &world.random)!), from: device)
        } else if device.isAway {
            world.post(device.subscribe(), from: device)
        } else if world.chance(0.5) {
            world.post(device.unsubscribe(), from: device)
        }
    }
}
