import ChatClient
import ChatWire
import Dispatch
import Publishing

/// The client without a screen: it reads lines and writes lines.
///
/// Lines that arrive before the room's first state wait for it, because they may refer to its messages.
final class LineChat: ClientObserver, @unchecked Sendable {
    // @unchecked: all mutable state is touched on `queue` only, which receives every publisher.
    let options: Options
    let client: ChatClient
    /// The user's name, or a placeholder until it is known.
    var user: UserName
    let output: Output
    let queue = DispatchQueue(label: "diffroom")
    /// Signalled once for each line that has been handled.
    let credits: DispatchSemaphore

    private var subscriptions: [Subscription] = []
    var view: RoomView?
    /// The people in the room, once they were asked for.
    var members: MembersView?
    /// The user's rooms, once they were asked for.
    var ownRooms: RoomsView?
    private var waiting: [String] = []
    private var inputHasEnded = false
    var isQuitting = false
    var unanswered: Set<CommandID> = []
    var queries = OpenQueries()
    /// The highest acknowledged revision. The chat must show it before it ends.
    var acknowledged: Revision = 0
    var lastSent: MessageID?
    private var somethingFailed = false
    private lazy var patience = Patience(options.patience, on: queue) { [self] seconds in
        let kept = unanswered.isEmpty ? "" : "; \(unanswered.count) commands were not acknowledged"
        fail("no connection for \(seconds) s: giving up\(kept)")
        end()
    }

    init(_ options: Options, output: Output, credits: DispatchSemaphore) throws(ChatClientError) {
        (self.options, self.output, self.credits) = (options, output, credits)
        client = try options.credentials.client(of: options.url, as: options.user, authorities: options.authorities)
        user = options.user
    }

    func start() {
        queue.async { [self] in
            subscriptions = follow()
            client.open(options.room, limit: options.limit)
            patience.lose()
        }
    }

    /// Takes a line of input; `nil` is the end.
    func read(_ line: String?) {
        queue.async { [self] in
            if let line { waiting.append(line) } else { inputHasEnded = true }
            takeLines()
        }
    }

    private func takeLines() {
        guard view != nil else { return }
        for line in waiting where !isQuitting {
            do throws(InputError) {
                try take(InputLine(line))
            } catch {
                fail(error.description)
                credits.signal()
            }
        }
        waiting = []
        endIfDone()
    }

    private func endIfDone() {
        guard let view, isQuitting || inputHasEnded && !options.follow else { return }
        if unanswered.isEmpty, queries.isEmpty, view.revision >= acknowledged { end() }
    }

    func end() -> Never {
        client.close()
        output.end(somethingFailed ? .failed : .done)
    }

    /// Reports a failure, which also sets the exit status.
    func fail(_ what: String) {
        somethingFailed = true
        output.say(what)
    }
}

// MARK: - The client's news

extension LineChat {
    func changed(_ change: RoomChange) {
        let isFirst = view == nil
        view = change.view
        output.print(change)
        if case .page = change.cause { pageAnswered() }
        if isFirst, let id = options.at { ask(.around(.id(id))) }
        if isFirst { takeLines() } else { endIfDone() }
    }

    private func pageAnswered() {
        if let next = queries.pageAnswered() { load(next) }
        endIfDone()
    }

    func membersChanged(_ change: MembersChange) {
        members = change.view
        for _ in 0..<queries.whoAnswered() { tell(change.view) }
        endIfDone()
    }

    func roomsChanged(_ change: RoomsChange) {
        ownRooms = change.view
        if queries.hasRooms, unanswered.isEmpty { tellRooms() } else { output.print(change) }
        endIfDone()
    }

    func answered(_ answer: ChatClient.Answer) {
        unanswered.remove(answer.command.id)
        credits.signal()
        switch answer.outcome {
        case .done(let effect): done(answer.command, effect)
        case .refused(let error): fail("not done: \(error.message)")
        }
        tellRooms()
        endIfDone()
    }

    private func done(_ command: Command, _ effect: ServerFrame.Effect?) {
        // A command to another room shows nothing here.
        if let effect, effect.list == .messages(options.room) { acknowledged = max(acknowledged, effect.revision) }
        switch command.action {
        case .join: output.say("you are a member of \(command.room) now")
        case .leave: output.say("you are no member of \(command.room) any more")
        case .send, .edit, .delete, .react, .moderate: break
        }
    }

    func connection(_ state: ConnectionState) {
        switch state {
        case .offline, .connecting: break
        case .online(let welcome):
            patience.regain()
            user = welcome.user
            output.say("connected to \(options.url) as \(welcome.user)")
        case .waiting(let wait, let loss):
            output.say("\(loss); trying again in \(Double(wait / 100) / 10) s")
            patience.lose()
        case .ended(let loss):
            fail("\(loss)")
            end()
        }
    }

    func noticed(_ notice: SessionNotice) {
        switch notice {
        case .roomRefused:
            fail("\(notice)")
            fail("cannot follow the room")
            end()
        case .ended(.messages, _):
            fail("\(notice)")
            fail("the room cannot be followed any more")
            end()
        case .membersRefused:
            _ = queries.whoAnswered()
            fail("\(notice)")
        case .roomsRefused, .ended(.myRooms, _):
            _ = queries.roomsAnswered()
            fail("\(notice)")
        case .auditRefused:
            queries.auditAnswered()
            fail("\(notice)")
        case .pageRefused:
            fail("\(notice)")
            pageAnswered()
        case .audit:
            queries.auditAnswered()
            output.say("\(notice)")
        case .nothingOlder:
            output.say("\(notice)")
            pageAnswered()
        case .resynchronizing, .ended, .standing, .noFreshToken, .passedOver: output.say("\(notice)")
        }
        endIfDone()
    }
}
