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
    /// The messages that mention the user, once they were asked for.
    private(set) var mentions: MentionsView?
    /// The labels of all known rooms.
    var labels = RoomLabels()
    /// The user's rights in the room, and its title.
    private(set) var standing = RoomStanding()
    /// True when the user asked for their rooms, whose changes are written from then on.
    var tellsRooms = false
    /// The texts to say in direct rooms once these are there.
    var messages: [CommandID: String] = [:]
    /// The commands that were given by a line with others, of which only the last one ends the line.
    var companions: Set<CommandID> = []
    /// The read marks of the rooms that the user has called read, until the server says so.
    var reading: [RoomName: Revision] = [:]
    /// True when the user gives up their place in the room, which ends what is followed.
    var isLeaving = false
    /// True when the server does not tell the user's rooms.
    private var isWithoutRooms = false
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
        var taken = 0
        for line in waiting where !isQuitting {
            do throws(InputError) {
                let line = try InputLine(line)
                if !isReady(for: line) { break }
                try take(line)
            } catch {
                fail(error.description)
                credits.signal()
            }
            taken += 1
        }
        waiting.removeFirst(isQuitting ? waiting.count : taken)
        endIfDone()
    }

    /// Returns whether all is known that a line refers to. If not, it is asked for, and the line waits.
    private func isReady(for line: InputLine) -> Bool {
        guard line.needsRooms, ownRooms == nil, !isWithoutRooms else { return true }
        client.openRooms(limit: .max)
        return false
    }

    private func endIfDone() {
        guard let view, isQuitting || inputHasEnded && waiting.isEmpty && !options.follow else { return }
        if unanswered.isEmpty, queries.isEmpty, reading.isEmpty, view.revision >= acknowledged { end() }
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
        labels.learn(change.view)
        noteRead()
        if queries.hasRooms, unanswered.isEmpty { tellRooms() } else if tellsRooms { output.print(change) }
        takeLines()
    }

    func mentionsChanged(_ change: MentionsChange) {
        mentions = change.view
        tellMentions()
        endIfDone()
    }

    /// Lines have people's user names: nothing is asked for.
    func peopleChanged(_ change: PeopleChange) {}

    func answered(_ answer: ChatClient.Answer) {
        unanswered.remove(answer.command.id)
        let text = messages.removeValue(forKey: answer.command.id) ?? ""
        switch answer.outcome {
        case .done(let effect): done(answer, effect, text)
        case .refused(let error):
            if answer.command.action == .leave { isLeaving = false }
            fail("not done: \(answer.command.refusal(error, labels))")
            endLine(of: answer.command.id)
        }
        tellRooms()
        tellMentions()
        endIfDone()
    }

    /// - Parameter text: to be said in the room that was made.
    private func done(_ answer: ChatClient.Answer, _ effect: ServerFrame.Effect?, _ text: String) {
        // A command to another room shows nothing here, nor does the end of this one.
        let isShown = effect?.list == .messages(options.room) && !isLeaving
        if let effect, isShown { acknowledged = max(acknowledged, effect.revision) }
        if let room = answer.room, !text.isEmpty {
            // The line is done with the message.
            unanswered.insert(client.send(text, to: room))
            return
        }
        let isLast = endLine(of: answer.command.id)
        if let room = answer.room, isLast { tell(answer.command.action, in: room) }
    }

    /// Takes the answer to a command. Returns whether that ends its line.
    @discardableResult
    private func endLine(of command: CommandID) -> Bool {
        let isLast = companions.remove(command) == nil
        if isLast { credits.signal() }
        return isLast
    }

    private func tell(_ action: RoomAction, in room: RoomName) {
        switch action {
        case .create(let new):
            labels.learn(new, as: room)
            output.print(made: labels[room])
        case .join: output.say("you are a member of \(labels[room].sentence) now")
        case .leave: output.say("you are no member of \(labels[room].sentence) any more")
        case .settings(let change): output.say("\(labels[room].sentence): \(change.phrase)")
        case .moderate(let moderation):
            if let text = moderation.confirmation(in: labels[room], room.kind) { output.say(text) }
        case .send, .edit, .delete, .react: break
        }
    }

    func connection(_ state: ConnectionState) {
        switch state {
        case .offline, .connecting: break
        case .online(let welcome):
            patience.regain()
            user = welcome.user
            askToRead()
            output.say("connected to \(options.url) as \(welcome.user)")
        case .waiting(let wait, let loss):
            output.say("\(loss); trying again in \(Double(wait / 100) / 10) s")
            patience.lose()
        case .ended(let loss):
            fail("\(loss)")
            end()
        }
    }

    /// Says the user's rights if they are others than before, and a title that is.
    private func stand(_ standing: RoomStanding, in room: RoomName) {
        labels.learn(standing, of: room)
        let before = self.standing
        self.standing = standing
        if before.isOther(than: standing) { output.say("\(labels[room].phrase): \(standing)") }
        if before.title != standing.title {
            output.say(standing.title.map { "this room is called \($0)" } ?? "this room has no title any more")
        }
        if before.topic != standing.topic {
            output.say(standing.topic.map { "it is about: \($0)" } ?? "this room has no topic any more")
        }
        if before.picture != standing.picture {
            output.say(standing.picture.map { "its picture: \($0)" } ?? "this room has no picture any more")
        }
    }

    private func roomsRefused(_ text: String) {
        _ = queries.roomsAnswered()
        isWithoutRooms = true
        fail(text)
        takeLines()
    }

    func noticed(_ notice: SessionNotice) {
        if case .standing(let room, let standing) = notice { stand(standing, in: room) }
        let text = notice.text(labels)
        switch notice {
        case .roomRefused:
            fail(text)
            fail("cannot follow the room")
            end()
        case .ended(.messages, _) where isLeaving:
            (isQuitting, acknowledged) = (true, 0)
        case .ended(.messages, _):
            fail(text)
            fail("the room cannot be followed any more")
            end()
        case .membersRefused:
            _ = queries.whoAnswered()
            fail(text)
        case .roomsRefused, .ended(.myRooms, _): roomsRefused(text)
        case .mentionsRefused, .ended(.myMentions, _):
            _ = queries.mentionsAnswered()
            fail(text)
        case .auditRefused:
            queries.auditAnswered()
            fail(text)
        case .pageRefused:
            fail(text)
            pageAnswered()
        case .audit:
            queries.auditAnswered()
            output.say(text)
        case .readRefused(let room, _): stopReading(room, text)
        case .nothingOlder:
            output.say(text)
            pageAnswered()
        case .standing: break
        case .resynchronizing, .ended, .peopleRefused, .noFreshToken, .passedOver: output.say(text)
        }
        endIfDone()
    }
}
