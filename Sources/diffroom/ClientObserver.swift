import ChatClient
import Dispatch
import Publishing

/// A view of a client: it takes all that the client publishes, on one queue.
protocol ClientObserver: AnyObject, Sendable {
    var client: ChatClient { get }
    var queue: DispatchQueue { get }

    func changed(_ change: RoomChange)
    func membersChanged(_ change: MembersChange)
    func pinsChanged(_ change: PinsChange)
    func roomsChanged(_ change: RoomsChange)
    func threadsChanged(_ change: ThreadsChange)
    func mentionsChanged(_ change: MentionsChange)
    func peopleChanged(_ change: PeopleChange)
    func draftsChanged(_ change: DraftsChange)
    func laterChanged(_ change: LaterItemsChange)
    func blockedChanged(_ change: BlockedChange)
    func connection(_ state: ConnectionState)
    func answered(_ answer: ChatClient.Answer)
    func noticed(_ notice: SessionNotice)
}

extension ClientObserver {
    /// Follows the client for as long as the subscriptions are kept.
    func follow() -> [Subscription] {
        [
            client.didChange.receive(on: queue, policy: .wait(beyond: 16)).sink { self.changed($0) },
            client.membersDidChange.receive(on: queue, policy: .wait(beyond: 16)).sink {
                self.membersChanged($0)
            },
            client.pinsDidChange.receive(on: queue, policy: .wait(beyond: 16)).sink { self.pinsChanged($0) },
            client.roomsDidChange.receive(on: queue, policy: .wait(beyond: 16)).sink { self.roomsChanged($0) },
            client.threadsDidChange.receive(on: queue, policy: .wait(beyond: 16)).sink { self.threadsChanged($0) },
            client.mentionsDidChange.receive(on: queue, policy: .wait(beyond: 16)).sink {
                self.mentionsChanged($0)
            },
            client.peopleDidChange.receive(on: queue, policy: .wait(beyond: 16)).sink {
                self.peopleChanged($0)
            },
            client.draftsDidChange.receive(on: queue, policy: .wait(beyond: 16)).sink {
                self.draftsChanged($0)
            },
            client.laterDidChange.receive(on: queue, policy: .wait(beyond: 16)).sink { self.laterChanged($0) },
            client.blockedDidChange.receive(on: queue, policy: .wait(beyond: 16)).sink {
                self.blockedChanged($0)
            },
            client.connection.receive(on: queue, policy: .wait(beyond: 16)).sink { self.connection($0) },
            client.answers.receive(on: queue, policy: .wait(beyond: 16)).sink { self.answered($0) },
            client.notices.receive(on: queue, policy: .wait(beyond: 16)).sink { self.noticed($0) },
        ]
    }
}
