import ChatRoom
import ChatWire
import Testing

/// People on other servers, as one room knows of them.
struct MembersElsewhereTests {
    private let bob = UserName("bob")!
    private let other = ServerID(high: 0, low: 1)
    private let reader = Reader(1)

    private func state() throws -> MembersState {
        var policy = MembersPolicy()
        policy.isShared = true
        policy.grace = .zero
        return MembersState(
            room: try #require(RoomName("lobby")), epoch: try #require(Epoch("epoch")), policy: policy)
    }

    private func there(_ name: String, isHere: Bool = true) throws -> MembersState.Input {
        let name = try #require(UserName(name))
        return .elsewhere(other, [Presence(name: name, isHere: isHere, isTyping: false, read: 0)])
    }

    private func shared(_ effects: [MembersState.Effect]) -> [Presence] {
        effects.flatMap { (effect) -> [Presence] in if case .share(let people) = effect { people } else { [] } }
    }

    @Test func whoComesAndGoesIsShared() throws {
        var state = try state()

        let came = shared(state.handle(.came(reader, bob), at: .zero))
        let left = shared(state.handle(.left(reader), at: .seconds(1)))

        #expect(came.map(\.isHere) == [true] && left.map(\.isHere) == [false])
    }

    @Test func whatIsHeardOfOthersIsNotPassedOn() throws {
        var state = try state()

        let effects = state.handle(try there("ann"), at: .zero)

        #expect(shared(effects) == [] && state.online == 1)
    }

    @Test func whoWasOnAServerThatIsLostIsGone() throws {
        var state = try state()
        _ = state.handle(try there("ann"), at: .zero)

        _ = state.handle(.lost(other), at: .seconds(1))

        #expect(state.online == 0)
    }

    @Test func whoAsksIsToldOfEverybodyHereAndOfNobodyElse() throws {
        var state = try state()
        _ = state.handle(.came(reader, bob), at: .zero)
        _ = state.handle(try there("ann"), at: .seconds(1))

        #expect(shared(state.handle(.presenceRequested, at: .seconds(2))).map(\.name) == [bob])
    }

    @Test func whoLeavesWithinATickInWhichOthersAskIsToldOf() throws {
        var state = try state()
        _ = state.handle(.came(reader, bob), at: .zero)
        _ = state.handle(.left(reader), at: .milliseconds(100))

        let answer = shared(state.handle(.presenceRequested, at: .milliseconds(200)))
        let news = shared(state.handle(.woken, at: .seconds(1)))

        #expect(answer == [] && news.map(\.name) == [bob] && news.map(\.isHere) == [false])
    }

    @Test func whoComesAndLeavesWithinATickInWhichOthersAskIsToldOf() throws {
        var state = try state()
        let (ann, visitor) = (try #require(UserName("ann")), Reader(2))
        _ = state.handle(.came(reader, bob), at: .zero)
        _ = state.handle(.came(visitor, ann), at: .milliseconds(100))

        let answer = shared(state.handle(.presenceRequested, at: .milliseconds(200)))
        _ = state.handle(.left(visitor), at: .milliseconds(300))
        let news = shared(state.handle(.woken, at: .seconds(1)))

        #expect(answer.map(\.name) == [ann, bob] && answer.allSatisfy(\.isHere))
        #expect(news.map(\.name) == [ann] && news.map(\.isHere) == [false])
    }

    @Test func aRoomRestsWhilePeopleAreElsewhereAndRemembersNobody() throws {
        var state = try state()
        _ = state.handle(.came(reader, bob), at: .zero)
        _ = state.handle(try there("ann"), at: .seconds(1))
        _ = state.handle(.left(reader), at: .seconds(2))

        #expect(state.isResting && state.memory == nil)
    }
}
