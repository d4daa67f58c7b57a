import ChatClient
import ChatWire
import Dispatch
import Publishing

/// Sends exported messages again, each as its author.
///
/// Commands of one author go out together. All of them are acknowledged before the next author's, so that the room has
/// the file's order.
///
/// A message that calls everybody goes out alone. If its author has no right to that in this room, it is sent without.
/// the file's.
final class Import: @unchecked Sendable {
    // @unchecked: all mutable state is touched on `queue` only, which receives every publisher.
    private struct Voice {
        let client: ChatClient
        let subscriptions: [Subscription]
    }

    /// The most commands without an answer: half of a server's limit.
    private static let atOnce = 128
    /// The most connections kept for authors who may have more messages.
    private static let voicesKept = 32

    private let options: TransferOptions
    private let output: Output
    private let messageCount: Int
    private let queue = DispatchQueue(label: "diffroom.import")
    private let progress = Progress()
    private lazy var patience = Patience(options.patience, on: queue) { [self] seconds in
        output.report(
            "no connection for \(seconds) s: giving up after \(done) of \(steps.count) commands; run it again")
        output.end(.failed)
    }
    private let steps: [Step]
    private var next = 0
    private var done = 0
    private var unanswered: [CommandID: Step] = [:]
    /// Whether the only unanswered command is a message that calls everybody.
    private var isAlone = false
    private var voices: [UserName: Voice] = [:]
    private var speaker: UserName?
    /// The number of messages that existed with another text, and of reactions to deleted messages.
    private var left = 0
    /// The number of messages whose texts had control characters.
    private let reduced: Int
    private var refusals = 0
    /// The number of messages that were refused.
    private var missing = 0
    /// The number of messages whose files stay where they are.
    private let withoutFiles: Int
    /// The number of messages imported without mentioning everybody, because their authors may not do that here.
    private var quietened = 0

    init(_ messages: [ExportedMessage], _ options: TransferOptions, output: Output) {
        (self.options, self.output, messageCount) = (options, output, messages.count)
        reduced = messages.count { EnteredText($0.message.text).isReduced }
        withoutFiles = messages.count { !$0.message.content.files.isEmpty }
        let placed = messages.map { ($0.message, $0.root.map(options.room.thread) ?? options.room) }
        let sends = placed.flatMap { message, room in
            [Step(saying: message, in: room)] + (message.closing(in: room).map { [$0] } ?? [])
        }
        steps = sends + placed.flatMap { message, room in message.reacting(in: room) }
    }

    func start() {
        queue.async { [self] in
            patience.start()
            sendNext()
        }
    }

    /// Sends the commands that may be sent now.
    private func sendNext() {
        while next < steps.count, unanswered.count < Self.atOnce, !isAlone {
            let step = steps[next]
            guard step.user == speaker && !step.callsEveryone || unanswered.isEmpty else { return }
            speaker = step.user
            isAlone = step.callsEveryone
            next += 1
            send(step)
        }
        if done == steps.count { end() }
    }

    private func send(_ step: Step) {
        unanswered[step.command.id] = step
        voice(of: step.user).client.perform(step.command)
    }

    private func voice(of user: UserName) -> Voice {
        if let voice = voices[user] { return voice }
        if voices.count == Self.voicesKept { voices = [:] }
        do throws(ChatClientError) {
            let client = try options.credentials.client(of: options.url, as: user, authorities: options.authorities)
            let voice = Voice(
                client: client,
                subscriptions: [
                    client.answers.receive(on: queue, policy: .wait(beyond: 16)).sink { self.answered($0) },
                    client.connection.receive(on: queue, policy: .wait(beyond: 16)).sink {
                        self.patience.handle($0, self.output)
                    },
                ])
            voices[user] = voice
            return voice
        } catch {
            refuse(error, output)
        }
    }

    private func answered(_ answer: ChatClient.Answer) {
        guard let step = unanswered.removeValue(forKey: answer.command.id) else { return }
        if case .refused(let error) = answer.outcome, let quieter = step.callingNobody,
            [.forbidden, .conflict].contains(error.code)
        {
            // A conflict: an earlier import has sent it without the call.
            quietened += 1
            return send(quieter)
        }
        isAlone = false
        done += 1
        if done <= messageCount { progress.report("import", done, of: messageCount) }
        if case .refused(let error) = answer.outcome { handle(error, for: answer.command) }
        sendNext()
    }

    private func handle(_ error: WireError, for command: Command) {
        switch (error.code, command.action) {
        case (.conflict, .send), (.notFound, .react): left += 1
        default:
            refusals += 1
            if case .send = command.action { missing += 1 }
            if refusals <= 10 { output.report("\(command.id): not done: \(error.message)") }
        }
    }

    private func end() -> Never {
        let what = left == 0 ? "" : "; \(left) were there already and have changed since"
        output.report("\(messageCount - missing) messages are in \(options.room)\(what)")
        if reduced > 0 { output.report("\(InputLine.reduced): of \(reduced) messages") }
        if withoutFiles > 0 {
            let who = withoutFiles == 1 ? "1 has lost its files" : "\(withoutFiles) have lost their files"
            output.report("\(who): an export has names and sizes only")
        }
        if quietened > 0 {
            output.report("\(quietened) no longer mention everybody: their authors may not do that here")
        }
        if refusals > 0 { output.report("\(refusals) commands were refused") }
        output.end(refusals == 0 ? .done : .failed)
    }
}

/// A command and its author.
private struct Step {
    let user: UserName
    let command: Command
}

extension Step {
    var callsEveryone: Bool { callingNobody != nil }

    /// The same message without the call to everybody; `nil` if it has none.
    var callingNobody: Step? {
        guard case .send(var content) = command.action, content.mentions.everyone, let room = command.room else {
            return nil
        }
        content.mentions.everyone = false
        return Step(user: user, command: Command(id: command.id, room: room, action: .send(content)))
    }

    init(saying message: Message, in room: RoomName) {
        // The server takes no files but those that were uploaded to it for this message.
        var content = message.content
        content.files = []
        content.growth = message.isSentOpen ? .open : nil
        self.init(user: message.author, command: Command(id: message.id, room: room, action: .send(content)))
    }
}

extension Message {
    /// True if the content can be sent only as that of an open message.
    fileprivate var isSentOpen: Bool { content.growth != nil || !text.hasSomethingToSee }

    /// Closes a message that was sent open. Its id follows from the message's, so that a repeat is one.
    fileprivate func closing(in room: RoomName) -> Step? {
        guard isSentOpen else { return nil }
        let ending = content.growth.map { Growth.Ending.given.contains($0.ending ?? .failed) ? $0.ending : .stopped }
        let close = GrowthStep.close(ending ?? nil)
        return Step(
            user: author,
            command: Command(id: CommandID(high: id.high, low: ~id.low), room: room, action: .grow(id, close)))
    }

    fileprivate func reacting(in room: RoomName) -> [Step] {
        reactions.flatMap { reaction in
            reaction.users.map { user in
                let action = RoomAction.react(id, emoji: reaction.emoji, .on)
                return Step(user: user, command: Command(id: .random(), room: room, action: action))
            }
        }
    }
}

/// Reads exported messages, one in a line.
///
/// - Throws: the number of the wrong line, and its fault.
func exportedMessages(
    for room: RoomName, _ nextLine: () throws(InputError) -> String?
) throws(InputError) -> [ExportedMessage] {
    var messages: [ExportedMessage] = []
    var number = 0
    while let line = try nextLine() {
        number += 1
        guard !line.allSatisfy(\.isWhitespace) else { continue }
        do throws(WireError) {
            let exported = try ExportedMessage(json: Array(line.utf8))
            guard exported.root == nil || !room.isThread else {
                throw WireError(.invalid, "it is a reply in a thread, and \(room) is a thread: choose its room")
            }
            // A damaged message has nothing to send.
            if !exported.message.isDamaged { messages.append(exported) }
        } catch {
            throw InputError("line \(number) of the input is no message as export writes it: \(error.message)")
        }
    }
    return messages
}
