import ChatRoom
import ChatWire
import TestSupport
import Testing

/// At rest, every device has exactly what the store says of those whom its user has asked for, whatever happened before,
/// and on whichever server.
@Suite(.enabled(if: StoreOfTheRun.current == .sqlite, "about no store"))
struct ProfileLawTests {
    private static let people = (0..<10).map { UserName("person \($0)")! }

    @Test(arguments: UInt64(0)..<100)
    func atRestEveryDeviceShowsWhatPeopleAreCalled(seed: UInt64) throws {
        _ = try play(ProfileWorld(seed: seed, people: Self.people))
    }

    @Test func whoComesBackElsewhereGetsWhatHasChangedNowAndThen() throws {
        let answers = try (UInt64(0)..<20).map { seed in
            try play(ProfileWorld(seed: seed, people: Self.people)).devices.reduce(0) { $0 + $1.keptAnswers }
        }

        #expect(answers.reduce(0, +) > 20)
    }

    /// The law can fail.
    @Test func newsThatIsLostForEverIsFound() {
        #expect(throws: ProfileWorld.Wrong.self) {
            for seed in UInt64(0)..<20 {
                _ = try play(ProfileWorld(seed: seed, people: Self.people, .neitherNewsNorReviews))
            }
        }
    }

    private func play(_ world: ProfileWorld) throws -> ProfileWorld {
        for _ in 0..<3 {
            for step in 0..<60 {
                try act(step, in: world)
                for _ in 0..<Int.random(in: 0...3, using: &world.random) { try world.deliver() }
                if world.chance(0.3) { try world.pass(.milliseconds(Int.random(in: 1...400, using: &world.random))) }
            }
            try world.settle()
        }
        return world
    }

    private func act(_ step: Int, in world: ProfileWorld) throws {
        let device = world.devices.randomElement(using: &world.random)!
        switch Int.random(in: 0..<20, using: &world.random) {
        case 0..<8: try world.write(change(step, &world.random))
        case 8..<13:
            let count = Int.random(in: 1...4, using: &world.random)
            world.want(Array(Self.people.shuffled(using: &world.random).prefix(count)), on: device)
        case 13..<19: device.isAway ? world.connect(device) : world.disconnect(device)
        default: world.restart(Int.random(in: 0...1, using: &world.random))
        }
    }

    /// Now and then somebody is called nothing any more.
    private func change(_ step: Int, _ random: inout SplitMix64) -> ProfileChange {
        let name = Int.random(in: 0..<4, using: &random) == 0 ? nil : DisplayName("name \(step % 7)")
        let picture = Bool.random(using: &random) ? Picture("https://a.example/\(step % 3)") : nil
        return ProfileChange(
            user: Self.people.randomElement(using: &random)!, profile: Profile(name: name, picture: picture),
            source: Bool.random(using: &random) ? .operator(1) : .token(Int64(step)))
    }
}
