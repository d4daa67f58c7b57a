import ChatWire
import TestSupport
import Testing

@testable import ChatRoom

/// The profiles that one user has asked for.
@Suite struct ProfileListTests {
    private static let names = (0..<12).map { UserName("p\($0)")! }
    private static let most = 6
    private static var limits: WireLimits {
        var limits = WireLimits()
        limits.people = most
        return limits
    }

    private func profile(_ number: Int) -> Profile { Profile(name: DisplayName("name \(number)")) }

    /// After each tick the rows are the profiles of the names asked for last, and each diff leads from one state to the next.
    @Test(arguments: UInt64(0)..<200)
    func theRowsAreTheProfilesOfThoseAskedForLast(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var list = ProfileList(epoch: Epoch("e")!, tick: .zero, Self.limits)
        var profiles: [UserName: Profile] = [:]
        var asked: [UserName] = []
        var held: [UserName: Person] = [:]
        #expect(list.subscribe(Reader(1), nil).revision == 0)

        for step in 0..<60 {
            let name = Self.names.randomElement(using: &random)!
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                let names = Array(Self.names.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random)))
                let (new, fallen) = list.request(names)
                let before = Set(asked)
                asked = asked.filter { !names.contains($0) } + names.sorted()
                let gone = asked.prefix(max(0, asked.count - Self.most))
                asked.removeFirst(gone.count)
                #expect(Set(new) == Set(names).subtracting(before))
                #expect(Set(fallen) == Set(gone))
            case 1: profiles[name] = profile(step)
            default: profiles[name] = nil
            }
            list.touch(name)
            guard let diff = list.commit(at: .zero, time: 0, { profiles[$0] }) else { continue }
            for id in diff.deletions { held[id] = nil }
            for row in diff.insertions { held[row.id] = row }
            for change in diff.reconfigurations { held[change.id]?.light = change.light }

            #expect(held.mapValues(\.light) == profiles.filter { asked.contains($0.key) })
            #expect(Set(held.values.map(\.sort)).count == held.count)
            #expect(diff.proof.count == held.count)
        }
        #expect(held.mapValues(\.light) == profiles.filter { asked.contains($0.key) })
        #expect(Set(list.names) == Set(asked))
    }

    @Test func changesWaitForTheTick() {
        var list = ProfileList(epoch: Epoch("e")!, tick: .seconds(1), Self.limits)
        _ = list.request([Self.names[0]])
        #expect(list.due == nil)
        _ = list.subscribe(Reader(1), nil)
        #expect(list.due == .zero)
        #expect(list.commit(at: .seconds(3), time: 0) { _ in profile(1) } != nil)

        list.touch(Self.names[1])
        #expect(list.due == nil)
        list.touch(Self.names[0])
        #expect(list.due == .seconds(4))
        #expect(list.commit(at: .seconds(4), time: 0) { _ in profile(1) } == nil)
    }
}
