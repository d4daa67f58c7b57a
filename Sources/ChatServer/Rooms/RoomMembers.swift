import ChatRoom
import ChatWire
import Dispatch
import RoomStore

/// Who is in one room, at work: does what its ``MembersState`` decides. Confined to its shard's queue.
final class RoomMembers {
    private let room: RoomName
    private let environment: RoomEnvironment
    private let followers: ListBroadcaster<Member>
    private var state: MembersState
    private let makeAlarm: () -> any DispatchSourceTimer
    /// Made when there is something to wake up for.
    private var alarm: (any DispatchSourceTimer)?
    /// How many are there, as the metrics have it.
    private var online = 0

    /// - Parameters:
    ///   - memory: who was there, if that is remembered.
    ///   - makeAlarm: makes a timer that says ``MembersState/Input/woken``.
    init(
        of room: RoomName, remembering memory: MembersMemory?, environment: RoomEnvironment, caching space: CacheSpace,
        makeAlarm: @escaping () -> any DispatchSourceTimer
    ) {
        self.room = room
        self.environment = environment
        self.makeAlarm = makeAlarm
        state =
            if let memory {
                MembersState(room: room, remembering: memory, policy: environment.members)
            } else {
                MembersState(room: room, epoch: environment.memberEpochs.next(), policy: environment.members)
            }
        followers = ListBroadcaster(
            of: state.list, state.epoch, gateway: environment.gateway, topics: environment.topics, caching: space)
    }

    deinit {
        alarm?.cancel()
        environment.metrics.peopleOnline.add(-online)
    }

    /// Whether nobody is there and nobody reads the list.
    var isResting: Bool { followers.isEmpty && state.isResting }
    /// What there is to remember then; `nil` for nothing.
    var memory: MembersMemory? { state.isEmpty ? nil : state.memory }

    var people: PeopleReading { state.reading }

    func forgetDeliveries() {
        followers.forgetDeliveries()
    }

    func receive(_ input: MembersState.Input) {
        if case .unsubscribe(let reader) = input { followers.detach(reader) }
        for effect in state.receive(input, at: environment.now) { perform(effect) }
        let before = online
        online = state.online
        environment.metrics.peopleOnline.add(online - before)
    }

    private func perform(_ effect: MembersState.Effect) {
        switch effect {
        case .answer(let reader, let frame):
            environment.gateway.answer(reader, frame)
        case .deliver(let reader, let ref, let delivery):
            followers.deliver(delivery, to: reader, ref: ref)
        case .publish(let diff):
            environment.metrics.memberDiffs.add(1)
            followers.publish(diff)
        case .share(let people):
            environment.store.others?.tell(people, in: room)
        case .wake(let time):
            wake(in: max(.zero, time - environment.now))
        }
    }

    private func wake(in delay: Duration) {
        let timer = alarm ?? makeAlarm()
        let nanoseconds = Int((delay / .nanoseconds(1)).rounded(.up))
        timer.schedule(deadline: .now() + .nanoseconds(nanoseconds), leeway: .milliseconds(10))
        if alarm == nil { timer.activate() }
        alarm = timer
    }
}
