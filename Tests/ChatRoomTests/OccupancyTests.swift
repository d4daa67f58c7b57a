import ChatRoom
import ChatWire
import TestSupport
import Testing

/// What a room's members tell its feeds of who is there and who is writing.
struct OccupancyTests {
    private static let people = ["ann", "bob", "cem"].map { UserName($0)! }
    private static let pair = RoomName("@00112233445566778899aabbccddeeff")!

    /// A feed in which all of them are members, but the last, who is only invited.
    private static func feed(of room: RoomName) -> RoomFeed {
        var feed = RoomFeed(of: room)
        for user in people { feed.add(user) }
        _ = feed.question()
        for user in people {
            feed.apply(
                MembershipReading(
                    room: room, user: user, revision: 3, joined: user == people[2] ? 0 : 1, time: 0, read: 1,
                    settings: RoomSettings(), unread: 0, mentions: 0, last: nil, standing: Standing(role: .write)))
        }
        _ = feed.drainTouched()
        return feed
    }

    @Test func onlyThoseAreTouchedToWhomItMakesADifference() {
        let (ann, bob) = (Self.people[0], Self.people[1])
        var feed = Self.feed(of: RoomName("lobby")!)
        func touched(_ typing: Occupancy.People) -> Set<UserName> {
            feed.apply(Occupancy(here: .nobody, typing: typing))
            return Set(feed.drainTouched())
        }

        #expect(touched(.one(ann)) == Set(Self.people))
        #expect(touched(.one(ann)) == [])
        #expect(touched(.several) == [ann])
        #expect(touched(.several) == [])
        #expect(touched(.one(bob)) == [bob])
        #expect(touched(.one(ann)) == [ann, bob])
        #expect(touched(.nobody) == Set(Self.people))
    }

    /// Whatever happens in a room, here and on two other servers: after a tick each row says what the list of members says, and
    /// whoever's row has changed is touched.
    @Test(arguments: UInt64(0)..<100)
    func eachRowAgreesWithTheListOfMembers(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let room = [RoomName("lobby")!, Self.pair].randomElement(using: &random)!
        var members = MembersState(room: room, epoch: MembersWorld.epoch, policy: MembersPolicy())
        var feed = Self.feed(of: room)
        var lights = Self.people.map { feed.entry(of: $0, granted: .write)?.light }
        var now = Duration.zero
        for _ in 0..<60 {
            _ = members.handle(Self.input(&random), at: now)
            let pause = [0, 1, 6].randomElement(using: &random)!
            now += .seconds(pause)
            _ = members.handle(.woken, at: now)
            feed.apply(members.occupancy)

            let touched = Set(feed.drainTouched())
            for (index, user) in Self.people.enumerated() {
                let light = feed.entry(of: user, granted: .write)?.light
                let others = members.reading.listed.filter { $0.id != user && user != Self.people[2] }
                #expect(touched.contains(user) || light == lights[index])
                lights[index] = light
                guard pause > 0 else { continue }
                #expect(light?.isTyping == others.contains { $0.light.isTyping })
                #expect(light?.isHere == (room.kind == .direct && others.contains { $0.section == .online }))
            }
        }
    }

    private static func input(_ random: inout SplitMix64) -> MembersState.Input {
        let number = Int.random(in: 0..<6, using: &random)
        let (reader, user) = (Reader(UInt64(number)), people[number % 3])
        let server = ServerID(high: 0, low: .random(in: 1...2, using: &random))
        switch Int.random(in: 0..<12, using: &random) {
        case 0...2: return .came(reader, user)
        case 3: return .left(reader)
        case 4: return .died(reader)
        case 5...6: return .typing(reader, ref: 1, .on)
        case 7: return .typing(reader, ref: 1, .off)
        case 8: return .said(user)
        case 9: return .lost(server)
        default:
            let isHere = Bool.random(using: &random)
            let isTyping = isHere && Bool.random(using: &random)
            return .elsewhere(server, [Presence(name: user, isHere: isHere, isTyping: isTyping, read: 0)])
        }
    }
}
