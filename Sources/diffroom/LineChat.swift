import ChatClient
import ChatWire
import Dispatch
import Publishing

/// The client without a screen: it reads lines and writes lines.
///
/// Lines that arrive before the first state of each room wait for it, because they may refer to its messages.
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
    /// The rooms of ``Options/rooms``.
    var rooms: [RoomName: LineRoom]
    /// The room that lines go to.
    var target: RoomName
    /// The user's rooms, once they were asked for.
    var ownRooms: RoomsView?
    /// The threads that the user follows, once they were asked for.
    var threads: RoomsView?
    /// The user's messages and reminders for later, once they were asked for.
    var later: LaterItemsView?
    /// The users whom the user blocks, once they were asked for.
    var blocked: BlockedView?
    /// The blocks that the server has not stored, and those that it has stored since they were listed last.
    var blocks: [UserName: ClientFrame.Switch] = [:]
    var storedBlocks: [UserName: ClientFrame.Switch] = [:]
    /// The items that the server has not stored or cancelled yet.
    var unstored: Set<UniqueID> = []
    /// The time by which the server's clock is ahead.
    var clockLead: Milliseconds = 0
    /// The messages that mention the user, once they were asked for.
    private(set) var mentions: MentionsView?
    /// The labels of all known rooms.
    var labels = RoomLabels()
    /// True when the user asked for their rooms, whose changes are written from then on.
    var printsRooms = false
    /// The texts to say in direct rooms once these are there.
    var messages: [CommandID: String] = [:]
    /// The commands that were given by a line with others, of which only the last one ends the line.
    var companions: Set<CommandID> = []
    /// The read marks of the rooms that the user has called read, until the server says so.
    var reading: [RoomName: Revision] = [:]
    /// True when the server does not send the user's rooms.
    private var isWithoutRooms = false
    private var waiting: [Result<String, InputError>] = []
    /// The files on their way. The lines behind theirs wait, so that the messages keep their order.
    var upload: Upload?
    private var inputHasEnded = false
    var isQuitting = false
    var unanswered: Set<CommandID> = []
    /// The questions that are not about one room.
    var queries = OpenQueries()
    private var somethingFailed = false
    private lazy var patience = Patience(options.patience, on: queue) { [self] seconds in
        let count = unanswered.count + unstored.count
        let kept = count == 0 ? "" : "; \(count) commands were not acknowledged"
        fail("no connection for \(seconds) s: giving up\(kept)")
        end()
    }

    init(_ options: Options, output: Output, credits: DispatchSemaphore) throws(ChatClientError) {
        (self.options, self.output, self.credits) = (options, output, credits)
        client = try options.credentials.client(of: options.url, as: options.user, authorities: options.authorities)
        user = options.user
        rooms = Dictionary(uniqueKeysWithValues: options.rooms.map { ($0, LineRoom()) })
        target = options.room
    }

    /// The room that lines go to.
    var here: LineRoom {
        get { rooms[target, default: LineRoom()] }
        set { rooms[target] = newValue }
    }

    func start() {
        queue.async { [self] in
            subscriptions = follow()
            for room in options.rooms { client.open(room, limit: options.limit) }
            patience.start()
        }
    }

    /// Handles a line of input, or its fault; `nil` is the end.
    func read(_ line: Result<String, InputError>?) {
        queue.async { [self] in
            if let line { waiting.append(line) } else { inputHasEnded = true }
            handleLines()
        }
    }

    func handleLines() {
        guard rooms.values.allSatisfy(\.isHere) else { return }
        var taken = 0
        for line in waiting where !isQuitting && upload == nil {
            do throws(InputError) {
                let entered = EnteredText(try line.get())
                let line = try InputLine(entered.text)
                if !isReady(for: line) { break }
                if entered.isReduced { output.report(InputLine.reduced) }
                try handle(line)
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
        if case .links = line, !unanswered.isEmpty || !here.isUpToDate { return false }
        if case .block(.change) = line, queries.hasBlocked { return false }
        guard line.needsRooms, ownRooms == nil, !isWithoutRooms else { return true }
        client.openRooms(limit: .max)
        return false
    }

    func endIfDone() {
        guard isQuitting || inputHasEnded && waiting.isEmpty && !options.follow else { return }
        if upload == nil, unanswered.isEmpty, unstored.isEmpty, blocks.isEmpty, queries.isEmpty, reading.isEmpty,
            rooms.values.allSatisfy(\.isDone)
        {
            end()
        }
    }

    func end() -> Never {
        subscriptions = []  // so that the client waits for nothing here
        client.close()
        output.end(somethingFailed ? .failed : .done)
    }

    /// Prints a line about a room, with its name if there are several.
    func report(_ what: String, of room: RoomName) {
        output.report(options.rooms.count > 1 ? "#\(room) \(what)" : what)
    }

    /// Reports a failure, which also sets the exit status.
    func fail(_ what: String) {
        somethingFailed = true
        output.report(what)
    }
}

// MARK: - The client's news

extension LineChat {
    func changed(_ change: RoomChange) {
        let isFirst = rooms[change.room]?.view == nil
        rooms[change.room]?.view = change.view
        output.print(change)
        if case .page = change.cause { pageAnswered(in: change.room) }
        if isFirst, change.room == options.room, let id = options.at { request(.around(.id(id)), in: change.room) }
        handleLines()
    }

    private func pageAnswered(in room: RoomName) {
        if let next = rooms[room]?.queries.pageAnswered() { load(next, in: room) }
        endIfDone()
    }

    func membersChanged(_ change: MembersChange) {
        rooms[change.room]?.members = change.view
        for _ in 0..<(rooms[change.room]?.queries.whoAnswered() ?? 0) { printMembers(change.view, in: change.room) }
        endIfDone()
    }

    func pinsChanged(_ change: PinsChange) {
        rooms[change.room]?.pins = change.view
        printPins(of: change.room)
        endIfDone()
    }

    func roomsChanged(_ change: RoomsChange) {
        ownRooms = change.view
        labels.apply(change.view)
        noteRead()
        if queries.hasRooms, unanswered.isEmpty { printRooms() } else if printsRooms { output.print(change) }
        handleLines()
    }

    func threadsChanged(_ change: ThreadsChange) {
        threads = change.view
        printThreads()
        endIfDone()
    }

    func mentionsChanged(_ change: MentionsChange) {
        mentions = change.view
        printMentions()
        if change.cause == .page(.older), queries.olderMentionsAnswered() { output.print(older: change, labels) }
        endIfDone()
    }

    /// Lines have people's user names: nothing is asked for.
    func peopleChanged(_ change: PeopleChange) {}

    func draftsChanged(_ change: DraftsChange) {}

    func laterChanged(_ change: LaterItemsChange) {
        later = change.view
        printLater()
        endIfDone()
    }

    func answered(_ answer: ChatClient.Answer) {
        unanswered.remove(answer.command.id)
        let text = messages.removeValue(forKey: answer.command.id) ?? ""
        switch answer.outcome {
        case .done(let effect): done(answer, effect, text)
        case .refused(let error): refused(answer.command, error)
        }
        printRooms()
        printMentions()
        for room in rooms.keys { printPins(of: room) }
        handleLines()
    }

    private func refused(_ command: Command, _ error: WireError) {
        if let room = command.roomFound(error) {
            output.report("\(labels[room].phrase) is there already")
            // The line is done with the join.
            unanswered.insert(client.join(room))
            return
        }
        if command.action == .leave, let room = command.room { rooms[room]?.isLeaving = false }
        fail("not done: \(command.refusal(error, labels))")
        endLine(of: command.id)
    }

    /// - Parameter text: to be said in the room that was made.
    private func done(_ answer: ChatClient.Answer, _ effect: ServerFrame.Effect?, _ text: String) {
        // A command to a room that is not followed shows nothing here.
        if case .messages(let room)? = effect?.list, let effect { rooms[room]?.acknowledge(effect.revision) }
        if let room = answer.room, !text.isEmpty {
            // The line is done with the message.
            unanswered.insert(client.send(text, to: room))
            return
        }
        let isLast = endLine(of: answer.command.id)
        if let room = answer.room, isLast { report(answer.command.action, in: room) }
    }

    /// Handles the answer to a command. Returns whether that ends its line.
    @discardableResult
    private func endLine(of command: CommandID) -> Bool {
        let isLast = companions.remove(command) == nil
        if isLast { credits.signal() }
        return isLast
    }

    private func report(_ action: RoomAction, in room: RoomName) {
        switch action {
        case .create(let new):
            labels.apply(new, as: room)
            output.print(made: labels[room])
        case .join: output.report("you are a member of \(labels[room].sentence) now")
        case .leave: output.report("you are no member of \(labels[room].sentence) any more")
        case .settings(let change): output.report("\(labels[room].sentence): \(change.phrase)")
        case .moderate(let moderation):
            if let text = moderation.confirmation(in: labels[room], room.kind) { output.report(text) }
        case .send, .edit, .grow, .delete, .react, .summarize: break
        }
    }

    func connection(_ state: ConnectionState) {
        switch state {
        case .offline, .connecting: break
        case .online(let welcome):
            patience.regain()
            (user, clockLead) = (welcome.user, welcome.clockLead)
            requestReadMarks()
            output.report("connected to \(options.url) as \(welcome.user)")
        case .waiting(let wait, let loss):
            output.report("\(loss); trying again in \(Double(wait / 100) / 10) s")
            patience.start()
        case .ended(let loss):
            fail("\(loss)")
            end()
        }
    }

    /// Prints the user's rights and the room's title if they have changed.
    private func apply(_ standing: RoomStanding, in room: RoomName) {
        labels.apply(standing, of: room)
        let before = rooms[room]?.standing ?? RoomStanding()
        rooms[room]?.standing = standing
        if before.isOther(than: standing) { output.report("\(labels[room].phrase): \(standing)") }
        if before.title != standing.title {
            report(standing.title.map { "this room is called \($0)" } ?? "this room has no title any more", of: room)
        }
        if before.topic != standing.topic {
            report(standing.topic.map { "it is about: \($0)" } ?? "this room has no topic any more", of: room)
        }
        if before.picture != standing.picture {
            report(standing.picture.map { "its picture: \($0)" } ?? "this room has no picture any more", of: room)
        }
    }

    private func roomsRefused(_ text: String) {
        _ = queries.roomsAnswered()
        isWithoutRooms = true
        fail(text)
        handleLines()
    }

    /// True when no room is followed any more.
    private var isWithoutRoom: Bool { rooms.values.allSatisfy(\.hasEnded) }

    /// Goes on without a room, or ends if it was the last.
    private func handleEnd(_ room: RoomName) {
        rooms[room]?.hasEnded = true
        if isWithoutRoom { end() }
        handleLines()
    }

    func noticed(_ notice: SessionNotice) {
        if case .standing(let room, let standing) = notice { apply(standing, in: room) }
        let text = notice.text(labels)
        switch notice {
        case .refused(.messages(let room), _):
            fail(text)
            fail("cannot follow the room")
            handleEnd(room)
        case .ended(.messages(let room), _) where rooms[room]?.isLeaving ?? false:
            rooms[room]?.hasEnded = true
            isQuitting = isQuitting || isWithoutRoom
        case .ended(.messages(let room), _):
            fail(text)
            fail("the room cannot be followed any more")
            handleEnd(room)
        case .refused(.members(let room), _), .refused(.pins(let room), _):
            _ = (rooms[room]?.queries.whoAnswered(), rooms[room]?.queries.pinsAnswered())
            fail(text)
        case .refused(let list, _) where list.room == nil, .ended(let list, _) where list.room == nil,
            .pageRefused(let list, _, _) where list == .myMentions:
            refused(list, text)
        case .laterStored, .laterRefused, .blockStored, .blockRefused: storingAnswered(notice, text)
        case .auditRefused(let room, _):
            rooms[room]?.queries.auditAnswered()
            fail(text)
        case .pageRefused(let list, _, _): pageRefused(list, text)
        case .audit(let room, _):
            rooms[room]?.queries.auditAnswered()
            output.report(text)
        case .found, .searchRefused: searched(notice, text)
        case .readRefused(let room, _): stopReading(room, text)
        case .nothingOlder(let room):
            output.report(text)
            pageAnswered(in: room)
        case .standing, .uploading, .uploadRefused, .links, .linksRefused, .members, .membersRefused: break
        case .resynchronizing, .ended, .refused, .draftRefused, .noFreshToken, .passedOver: output.report(text)
        }
        endIfDone()
    }

    private func storingAnswered(_ notice: SessionNotice, _ text: String) {
        switch notice {
        case .laterStored(let id, let plan): stored(id, plan)
        case .laterRefused(let id, _, _): refused(id, text)
        case .blockStored(let user, let direction): blockStored(user, direction, text)
        case .blockRefused(let user, _, _): blockRefused(user, text)
        default: preconditionFailure("\(notice) is about nothing that is stored")
        }
    }

    /// Answers what was asked for of a list of the user's.
    private func refused(_ list: ListName, _ text: String) {
        switch list {
        case .myRooms: return roomsRefused(text)
        case .myThreads: _ = queries.threadsAnswered()
        case .myMentions: _ = (queries.mentionsAnswered(), queries.olderMentionsAnswered())
        case .myLater: _ = queries.laterAnswered()
        case .myBlocked: _ = queries.blockedAnswered()
        case .myPeople, .myDrafts, .messages, .members, .pins: return output.report(text)
        }
        fail(text)
    }

    private func pageRefused(_ list: ListName, _ text: String) {
        fail(text)
        list.room.map(pageAnswered)
    }

    private func searched(_ notice: SessionNotice, _ text: String) {
        queries.searchAnswered()
        if case .found(let page, _) = notice { output.print(page, labels) } else { fail(text) }
    }
}
