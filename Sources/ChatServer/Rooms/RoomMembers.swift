import ChatRoom
import ChatWire

/// The people of one room and the readers of their list. Translates the effects of ``MembersState`` into commands.
struct RoomMembers {
    /// A reader who waits until the memberships were read.
    private struct Waiting {
        let reader: Reader
        let ref: UInt64
        let visit: UInt64
        let resume: Resume?
    }

    private let room: RoomName
    private let followers: ListBroadcaster<Member>
    private var state: MembersState
    private var waiting: [Waiting] = []
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
    var isResting: Bool { followers.isEmpty && waiting.isEmpty && state.isResting }
    /// The people to remember while the list rests; `nil` when there are none.
    var memory: MembersMemory? { state.memory }
    /// About the bytes that count against the budget.
    var bytes: Int { state.bytes }
    /// True if changes of memberships matter to the list.
    var followsMemberships: Bool { state.followsMemberships }

    var people: PeopleReading { state.reading }
    /// The epoch of the list.
    var epoch: Epoch { state.epoch }

    /// Returns people of the room with what the list knows of them now.
    func page(of reading: MembersPageReading) -> MembersPage {
        MembersPage(rows: reading.people.map(state.row), after: reading.after)
    }

    func isHere(_ user: UserName) -> Bool { state.isHere(user) }

    /// Closes the list. It must be the last call.
    mutating func close(_ decision: inout ShardDecision) {
        followers.close(&decision)
        if hasAlarm { decision.alarms.append((.room(room), nil)) }
        decision.growth.online -= online
    }

    func forgetDeliveries() {
        followers.forgetDeliveries()
    }

    /// Brings a reader to the list, or lets it wait until the memberships were read.
    mutating func subscribe(
        _ reader: Reader, ref: UInt64, visit: UInt64, _ resume: Resume?, of epoch: Epoch, _ turn: inout ShardTurn
    ) {
        for earlier in waiting where earlier.reader == reader {
            turn.decision.answer(reader, .error(ref: earlier.ref, .superseded))
        }
        waiting.removeAll { $0.reader == reader }
        waiting.append(Waiting(reader: reader, ref: ref, visit: visit, resume: resume))
        _ = handle(.membershipsRequested, at: turn.conditions.now, of: epoch, &turn.decision)
    }

    mutating func unsubscribe(_ reader: Reader, _ decision: inout ShardDecision) {
        for left in waiting where left.reader == reader { decision.answer(reader, .error(ref: left.ref, .left)) }
        waiting.removeAll { $0.reader == reader }
        followers.detach(reader, &decision)
    }

    /// Handles an input and performs its effects.
    ///
    /// - Parameter epoch: that of the room's messages.
    /// - Returns: the errors to answer.
    mutating func handle(
        _ input: MembersState.Input, at now: Duration, of epoch: Epoch, _ decision: inout ShardDecision
    ) -> [(reader: Reader, ref: UInt64, error: WireError)] {
        if case .unsubscribe(let reader) = input { unsubscribe(reader, &decision) }
        var errors: [(reader: Reader, ref: UInt64, error: WireError)] = []
        for effect in state.handle(input, at: now) {
            if case .answer(let reader, .error(let ref?, let error)) = effect {
                errors.append((reader, ref, error))
            } else {
                perform(effect, of: epoch, &decision)
            }
        }
        serve(at: now, of: epoch, &decision)
        decision.growth.online += state.online - online
        online = state.online
        occupancy = state.occupancy
        return errors
    }

    private mutating func serve(at now: Duration, of epoch: Epoch, _ decision: inout ShardDecision) {
        guard state.hasMemberships, !waiting.isEmpty else { return }
        let readers = waiting
        waiting = []
        for next in readers {
            for effect in state.handle(.subscribe(next.reader, ref: next.ref, next.resume), at: now) {
                perform(effect, of: epoch, &decision)
            }
        }
    }

    private mutating func refuse(_ error: WireError, _ decision: inout ShardDecision) {
        for one in waiting {
            decision.end(one.reader, .members(room), visit: one.visit)
            decision.answer(one.reader, .error(ref: one.ref, error))
        }
        waiting = []
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
        case .load(let query, let number):
            decision.queries.append(.members(RoomMembersQuery(room: room, number: number, query: query, epoch: epoch)))
        case .membershipsUnavailable(let error):
            refuse(error, &decision)
        case .wake(let time):
            hasAlarm = true
            decision.alarms.append((.room(room), time))
        }
    }
}
