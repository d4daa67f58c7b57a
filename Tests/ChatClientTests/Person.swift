import ChatClient
import ChatWire
import Dispatch
import Locking
import Publishing
import TestSupport
import Testing

/// A client, and everything that it has reported.
final class Person: Sendable {
    struct Seen: Sendable {
        var views: [RoomName: RoomView] = [:]
        var lastChange: RoomChange?
        var causes: [RoomChange.Cause] = []
        var deleted: [Message] = []
        var states: [ConnectionState] = []
        var members: MembersView?
        var rooms: RoomsView?
        var outcomes: [CommandID: Command.Outcome] = [:]

        var view: RoomView? { views[RoomName("lobby")!] }
    }

    let name: UserName
    let client: ChatClient
    private let state = Guarded(Seen())
    private let news = DispatchSemaphore(value: 0)
    private let subscriptions = Guarded<[Subscription]>([])

    init(_ name: String, on port: UInt16) throws {
        self.name = UserName(name)!
        client = try ChatClient(url: "ws://127.0.0.1:\(port)", user: self.name)
        let made = [
            client.didChange.sink { [weak self] change in
                self?.note {
                    $0.views[change.room] = change.view
                    $0.lastChange = change
                    $0.causes.append(change.cause)
                    $0.deleted += change.deleted
                }
            },
            client.membersDidChange.sink { [weak self] change in self?.note { $0.members = change.view } },
            client.roomsDidChange.sink { [weak self] change in self?.note { $0.rooms = change.view } },
            client.connection.sink { [weak self] state in self?.note { $0.states.append(state) } },
            client.answers.sink { [weak self] answer in
                self?.note { $0.outcomes[answer.command.id] = answer.outcome }
            },
        ]
        subscriptions.withLock { $0 = made }
    }

    var seen: Seen { state.withLock { $0 } }

    private func note(_ change: @Sendable (inout Seen) -> Void) {
        state.withLock { change(&$0) }
        news.signal()
    }

    /// Returns when the reports fulfil `condition`, or fails after ``Deadline/event``.
    func wait(at location: SourceLocation = #_sourceLocation, until condition: (Seen) -> Bool) {
        while !condition(seen), news.waitForEvent(at: location, or: "\(name) has seen only \(seen)") {}
    }
}
