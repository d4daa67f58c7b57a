import ChatRoom
import ChatWire
import PostgresStore
import RoomStore
import TestSupport
import Testing

/// People's profiles in every store.
struct ProfileTests {
    private let folder = TemporaryFolder()
    private static let people = [Someone.ann, Someone.bob, UserName("Åse 日本")!, UserName("@")!]
    private static let names = [nil, "Ann Example", "Åse 日本", "Bob"].map { $0.flatMap { DisplayName($0) } }
    private static let pictures = [nil, "https://chat.example/a.png"].map { $0.flatMap { Picture($0) } }

    private static func change(_ random: inout SplitMix64) -> ProfileChange {
        let second = Int64.random(in: 0...6, using: &random)
        let source: ProfileChange.Source =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: .operator(second)
            case 1: .token(nil)
            default: .token(second)
            }
        return ProfileChange(
            user: people.randomElement(using: &random)!,
            profile: Profile(
                name: names.randomElement(using: &random)!, picture: pictures.randomElement(using: &random)!),
            source: source)
    }

    /// The rule, written another way: what is stored is the fold of all that was said.
    private static func expected(_ stored: StoredProfile?, _ change: ProfileChange) -> StoredProfile? {
        let (old, same) = (stored?.second, stored?.profile == change.profile)
        switch change.source {
        case .operator(let second): return StoredProfile(profile: change.profile, second: max(second, old ?? 0))
        case .token(let second?) where second > old ?? -1 && !same && !change.profile.isEmpty:
            return StoredProfile(profile: change.profile, second: second)
        case .token(nil) where stored == nil && !change.profile.isEmpty:
            return StoredProfile(profile: change.profile, second: 0)
        case .token: return stored
        }
    }

    @Test(arguments: StoreUnderTest.histories(100))
    func whatIsStoredIsWhatTheRuleSays(kind: StoreUnderTest, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try kind.make(in: folder)
        var model: [UserName: StoredProfile] = [:]

        for _ in 0..<12 {
            let before = model
            let changes = (0..<Int.random(in: 0...4, using: &random)).map { _ in Self.change(&random) }
            for change in changes { model[change.user] = Self.expected(model[change.user], change) }
            let written = try store.write(changes)
            let changed = Set(Self.people.filter { before[$0] != model[$0] })

            #expect(changed.isSubset(of: written))
            #expect(written.isSubset(of: Set(changes.map(\.user))))
            #expect(try store.profiles(of: Self.people) == model)
            #expect(try store.profiles(of: [Self.people[0]]) == model.filter { $0.key == Self.people[0] })
        }
        #expect(try store.profiles(of: []) == [:])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func whatSaysNothingNewIsNotWritten(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let ann = Profile(name: DisplayName("Ann"), picture: nil)
        func say(_ profile: Profile, _ source: ProfileChange.Source) throws -> Set<UserName> {
            try store.write([ProfileChange(user: Someone.ann, profile: profile, source: source)])
        }

        #expect(try say(ann, .token(5)) == [Someone.ann])
        #expect(try say(ann, .token(9)) == [])
        #expect(try say(Profile(name: DisplayName("Old")), .token(4)) == [])
        #expect(try say(Profile(name: DisplayName("Unknown")), .token(nil)) == [])
        #expect(try say(Profile(), .token(99)) == [])
        #expect(try say(Profile(), .operator(20)) == [Someone.ann])
        #expect(try say(ann, .token(20)) == [])
        #expect(try say(ann, .token(21)) == [Someone.ann])
    }

    @Test func profilesOutliveTheProcess() throws {
        let change = ProfileChange(
            user: Someone.ann, profile: Profile(name: DisplayName("Ann"), picture: Picture("https://a.example/b")),
            source: .operator(7))
        _ = try StoreUnderTest.sqlite.make(in: folder).write([change])

        let stored = try StoreUnderTest.sqlite.make(in: folder).profiles(of: Self.people)

        #expect(stored == [Someone.ann: StoredProfile(profile: change.profile, second: 7)])
    }

    /// Each server adds to what the other has written, whichever comes first.
    @Test func twoServersWriteOneProfile() throws {
        let address = try PostgresAddress.unused()
        let (first, second) = (try PostgresStore(address), try PostgresStore(address))
        func say(_ name: String, _ time: Int64, to store: PostgresStore) throws -> Set<UserName> {
            try store.write([
                ProfileChange(user: Someone.ann, profile: Profile(name: DisplayName(name)), source: .token(time))
            ])
        }

        #expect(try say("new", 10, to: first) == [Someone.ann])
        #expect(try say("old", 9, to: second) == [])
        #expect(try say("newer", 11, to: second) == [Someone.ann])
        #expect(try first.profiles(of: [Someone.ann])[Someone.ann]?.profile.name == DisplayName("newer"))
    }
}
