import ChatRoom
import ChatWire

/// The people in one room and the readers of their list. Translates the effects of ``MembersState`` into commands.
struct RoomMembers {
    private let room: RoomName
    private let followers: ListBroadcaster<Member>
    private var state: MembersState
    private var hasAlarm = false
    /// The number of people online that the metrics contain.
    private var online = 0
    /// Noted after each change, because the room is asked for it twice with each input.
    private(set) var occupancy: Occupancy

    init(_ state: MembersState, of room: RoomName, loops: Int, topics: Topics, caching space: CacheSpace) {
        self.room = room
        self.state = state
        occupancy = state.occupancy
        followers = ListBroadcaster(
            of: .room(room, .members), state.epoch, loops: loops, topics: topics, caching: space)
    }

    /// True when no person is there and the list has no readers.
    var isResting: Bool { followers.isEmpty && state.isResting }
    /// The people to remember while the list rests; `nil` when there are none.
    var memory: MembersMemory? { state.isEmpty ? nil : state.memory }

    var people: PeopleReading { state.reading }

    /// Closes the list. It must be the last call.
    mutating func close(_ decision: inout ShardDecision) {
        followers.close(&decision)
        if hasAlarm { decision.alarms.append((.room(room), nil)) }
        decision.growth.online -= online
    }

    func forgetDeliveries() {
        followers.forgetDeliveries()
    }

    /// Handles an input and performs its effects.
    ///
    /// - Parameter epoch: that of the room's messages.
    /// - Returns: the errors to answer.
    mutating func handle(
        _ input: MembersState.Input, at now: Duration, of epoch: Epoch, _ decision: inout ShardDecision
    ) -> [(reader: Reader, ref: UInt64, error: WireError)] {
        if case .unsubscribe(let reader) = input { followers.detach(reader, &decision) }
        var errors: [(reader: Reader, ref: UInt64, error: WireError)] = []
        for effect in state.handle(input, at: now) {
            if case .answer(let reader, .error(let ref?, let error)) = effect {
                errors.append((reader, ref, error))
            } else {
                perform(effect, of: epoch, &decision)
            }
        }
        decision.growth.online += state.online - online
        online = state.online
        occupancy = state.occupancy
        return errors
    }

    private mutating func perform(
        _ effect: MembersState.Effect, of epoch: Epoch, _ decision: inout ShardDecision
    ) {
        switch effect {
        case .answer(let reader, let frame):
            decision.answer(reader, frame)
        case .deliver(let reader, let ref, let delivery):
            followers.deliver(delivery, to: reader, ref: ref, &decision)
        case .publish(let diff):
            decision.events.append(.publishedMembers)
            followers.publish(diff, &decision)
        case .mark(let user, let revision):
            decision.marks.append((ReadMark(room: room, user: user, revision: revision), epoch))
        case .share(let people):
            decision.peers.append(.announce(people, room))
        case .wake(let time):
            hasAlarm = true
            decision.alarms.append((.room(room), time))
        }
    }
}
