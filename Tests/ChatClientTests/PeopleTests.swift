import ChatClient
import ChatWire
import Replicas
import Testing

/// The profiles of the people whom a client shows.
@Suite struct PeopleTests {
    typealias Probe = SessionProbe

    private static let names = (0..<450).map { UserName("person-\($0)")! }
    private static let (bob, cid) = (UserName("bob")!, UserName("cid")!)

    private static func snapshot(ref: UInt64, _ rows: [ChatWire.Person]) -> ServerFrame {
        let proof = ListProof(count: rows.count, digest: ListDigest(rows).value)
        let snapshot = ListSnapshot(revision: 1, rows: rows, more: false, proof: proof)
        return .snapshot(
            ref: ref, .myPeople, ServerFrame.Snapshot(epoch: Probe.epoch, joined: 1, why: .fresh, snapshot: snapshot))
    }

    private static func called(_ name: UserName, _ text: String, tag: UniqueID? = nil) -> ChatWire.Person {
        ChatWire.Person(id: name, sort: 1, rev: 1, tag: tag, light: Profile(name: DisplayName(text)))
    }

    @Test func theyAreAskedForBeforeTheListIsSubscribedToAndOnce() {
        var probe = Probe.ready()

        #expect(
            probe.tell(.people([Self.bob, Self.cid, Self.bob])) == [
                .send(2, .people([Self.bob, Self.cid])),
                .send(3, .subscribe(.myPeople, limit: ListDigest.window, resume: nil)),
            ])
        #expect(probe.tell(.people([Self.cid])) == [])
        #expect(
            probe.tell(.received(.ok(ref: 2, nil)), .received(Self.snapshot(ref: 3, [Self.called(Self.bob, "Bob")])))
                == [.people(.snapshot(.fresh), [Self.bob])])
    }

    @Test func manyAreAskedForInAsManyRequestsAsItTakes() {
        var probe = Probe.ready()

        let requests = probe.tell(.people(Self.names)).compactMap { seen -> [UserName]? in
            if case .send(_, .people(let names)) = seen { names } else { nil }
        }

        #expect(requests.allSatisfy { $0.count <= ClientFrame.mostPeople })
        #expect(requests.flatMap(\.self) == Self.names)
    }

    @Test func afterACutAllAreAskedForAgain() {
        var probe = Probe.ready()
        probe.tell(.people([Self.bob]))
        probe.tell(.people([Self.cid]))
        probe.tell(.disconnected(.silent))
        _ = probe.tick(at: probe.session.deadline ?? probe.now)
        guard case .send(let ref, .hello)? = probe.tell(.connected).last else {
            Issue.record("no hello")
            return
        }

        let sent = probe.tell(.received(.welcome(ref: ref, probe.welcome))).compactMap { seen -> [UserName]? in
            if case .send(_, .people(let names)) = seen { names } else { nil }
        }

        #expect(sent == [[Self.bob, Self.cid]])
    }

    @Test func afterACutTheRowsThatAreHeldAreNamed() {
        var probe = Probe.ready()
        let tag = UniqueID.random()
        probe.tell(.people([Self.bob]))
        probe.tell(.received(Self.snapshot(ref: 3, [Self.called(Self.bob, "Bob", tag: tag)])))
        probe.tell(.disconnected(.silent))
        _ = probe.tick(at: probe.session.deadline ?? probe.now)
        guard case .send(let ref, .hello)? = probe.tell(.connected).last else {
            Issue.record("no hello")
            return
        }

        let sent = probe.tell(.received(.welcome(ref: ref, probe.welcome))).compactMap { seen -> Resume? in
            if case .send(_, .subscribe(.myPeople, _, let resume)) = seen { resume } else { nil }
        }

        #expect(sent.map(\.rows) == [[Resume.HeldRow(id: "bob", tag: tag)]])
    }

    @Test func whenTheServerHasNoTimeTheyAreAskedForLater() {
        var probe = Probe.ready()
        probe.tell(.people([Self.bob]))
        let busy = WireError(.sends, "later", retryAfter: 400)

        #expect(probe.tell(.received(.error(ref: 2, busy))) == [])
        #expect(probe.tick(at: 399).isEmpty)
        #expect(probe.tick(at: 400) == [.send(4, .people([Self.bob]))])
    }

    @Test func ofMoreThanTheServerFollowsThoseWantedLastAreAskedForAgain() {
        var probe = Probe()
        probe.limits.people = 300
        probe.tell(.start, .connected)
        probe.tell(.received(.welcome(ref: 1, probe.welcome)))
        probe.tell(.people(Array(Self.names.prefix(300))))
        probe.tell(.people(Array(Self.names.suffix(150))))

        probe.tell(.disconnected(.silent))
        _ = probe.tick(at: probe.session.deadline ?? probe.now)
        guard case .send(let ref, .hello)? = probe.tell(.connected).last else {
            Issue.record("no hello")
            return
        }
        let sent = probe.tell(.received(.welcome(ref: ref, probe.welcome))).compactMap { seen -> [UserName]? in
            if case .send(_, .people(let names)) = seen { names } else { nil }
        }

        #expect(Set(sent.flatMap(\.self)).count == 300)
        #expect(Set(sent.flatMap(\.self)).isSuperset(of: Self.names.suffix(150)))
    }
}
