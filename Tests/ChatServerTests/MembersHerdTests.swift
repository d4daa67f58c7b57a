import ChatRoom
import ChatServer
import ChatWire
import Foundation
import Replicas
import TestSupport
import Testing

/// Very many people who come back at once.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct MembersHerdTests {
    private static let people = isSanitized ? 100 : 3_000

    @Test
    func threeThousandWhoComeBackAreOneDiffForEachTick() async throws {
        try #require(raiseDescriptorLimit(to: 4 * Self.people))
        let server = try ServerUnderTest { $0.members.grace = .milliseconds(100) }
        let eve = try await MembersWatcher(server.join(as: "eve"))
        let first = try Herd(Self.people, on: server.server.port, holding: nil)
        try await eve.until { $0.counts?[.online] == Self.people }
        let held = eve.members
        first.stop()
        try await eve.until { $0.counts == [.online: 0, .offline: 100, .invited: 0] }
        let before = eve.diffs
        let start = ContinuousClock.now

        let second = try Herd(Self.people, on: server.server.port, holding: held)
        try await eve.until { $0.counts == [.online: Self.people, .offline: 0, .invited: 0] }
        let time = ContinuousClock.now - start
        let ticks = Int(time / .milliseconds(500)) + 2
        let most = try await second.mostDiffs(upTo: eve.members.revision)
        second.stop()

        let watched = eve.diffs - before
        print("\(Self.people) came back within \(time): \(watched) diffs for one who watched, \(most) at most for each")
        #expect(watched <= ticks && most <= ticks)
        #expect(eve.online.count == min(200, Self.people))
    }

    private func raiseDescriptorLimit(to count: Int) -> Bool {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, rlim_t(count)))
        return unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 && limit.rlim_cur >= count
    }
}
