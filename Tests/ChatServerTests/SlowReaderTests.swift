import ChatRoom
import ChatServer
import ChatWire
import Replicas
import TestSupport
import Testing
import WebSocketTransport

@Suite(.timeLimit(.minutes(Deadline.minutes)), .serialized)
struct SlowReaderTests {
    /// The reader lacks many times the log and the sockets' buffers, so it must fall off.
    @Test
    func aReaderThatStallsGetsOneNetAnswerAndIsNotCutOff() async throws {
        let server = try ServerUnderTest { $0.transport.logBytesPerTopic = 64 << 10 }
        let slow = try await server.follow(as: "slow")
        let ann = try await server.join(as: "ann")
        let text = String(repeating: "x", count: 8_000)
        slow.pauseReading()
        let count = 2_000
        for _ in 0..<(count / 50) {
            for _ in 1..<50 { ann.send(.say(text)) }
            _ = try await ann.answer(to: .say(text))
        }
        slow.resumeReading()

        var revision: Revision = 0
        var gaps = 0
        while revision < count {
            guard case .diff(nil, _, _, let diff as ListDiff<Message>) = try await slow.frame() else {
                throw Unexpected()
            }
            #expect(diff.from == revision)
            if let ranges = diff.ranges {
                gaps += 1
                #expect(diff.insertions.count == 50 && ranges.count == 2 && ranges[0].keys == 0...revision)
            }
            revision = diff.to
        }
        #expect(gaps >= 1)
        _ = try await ann.answer(to: .say("live again"))
        #expect(try await slow.diff().insertions.map(\.text) == ["live again"])
    }

    /// A client that opens some rooms and reads back in each of them is not slow, however much that is.
    @Test(.enabled(if: !isSanitized, "takes what a sanitizer makes slow, and no other way"))
    func whoAsksForMuchAtOnceGetsIt() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.join(as: "ann")
        let text = String(repeating: "x", count: 8_000)
        for _ in 0..<10 {
            for _ in 1..<50 { ann.send(.say(text)) }
            _ = try await ann.answer(to: .say(text))
        }

        ann.pauseReading()
        for _ in 0..<3 { ann.send(.page(lobby, .before(1_000), limit: 500)) }
        ann.resumeReading()
        for _ in 0..<3 {
            guard case .page(_, _, _, let page as ListPage<Message>) = try await ann.frame() else { throw Unexpected() }
            #expect(page.rows.count == 500)
        }
    }

    /// The messages fill the reader's socket, and later changes of the members do not fit their log. The test works as
    /// the one above, so that a sanitizer has seen it.
    @Test(.enabled(if: !isSanitized))
    func aReaderOfMembersThatStallsIsBroughtBackByOneDiff() async throws {
        let server = try ServerUnderTest {
            $0.transport.logBytesPerTopic = 2 << 10
            $0.members.tick = .milliseconds(5)
        }
        let slow = try await server.join(as: "slow")
        let noise = RoomName("noise")!
        _ = try await slow.answer(to: .subscribe(.messages(noise), limit: 50, resume: nil))
        let held = try await MembersWatcher(slow).members
        let ann = try await server.follow(as: "ann")
        let eve = try await MembersWatcher(server.join(as: "eve"))
        slow.pauseReading()
        let text = String(repeating: "x", count: 8_000)
        for _ in 0..<40 {
            for _ in 1..<50 { ann.send(.send(room: noise, id: .random(), MessageContent(text))) }
            _ = try await ann.answer(to: .send(room: noise, id: .random(), MessageContent(text)))
        }
        for number in 1...60 {
            _ = try await ann.answer(to: .typing(room, number % 2 == 1 ? .on : .off))
            try await eve.until { $0["ann"]?.light.isTyping == (number % 2 == 1) }
        }
        slow.resumeReading()

        let diffs = try await catchUp(slow, from: held, to: eve.members)
        #expect(diffs < eve.diffs)
    }

    /// - Returns: the number of diffs.
    private func catchUp(_ slow: Connection, from held: Replica<Member>, to target: Replica<Member>) async throws -> Int
    {
        var members = held
        var diffs = 0
        while members.revision < target.revision {
            switch try await slow.frame() {
            case .diff(nil, _, let epoch, let diff as ListDiff<Member>):
                try members.apply(diff, epoch: epoch)
                diffs += 1
            case .snapshot(nil, _, let snapshot as ServerFrame.Snapshot<Member>): members = try Replica(snapshot)
            default: continue
            }
        }
        #expect(members.rows == target.rows)
        return diffs
    }
}
