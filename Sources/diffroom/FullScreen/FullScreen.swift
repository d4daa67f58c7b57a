import ChatClient
import ChatWire
import Diffable
import Dispatch
import Publishing
import TerminalUI

/// The program with the whole screen.
///
/// The terminal is the view of a data source whose items are the messages' ids; what a message says is looked up in the
/// room's present state when its row is drawn.
final class FullScreen: @unchecked Sendable {
    // @unchecked: all that changes is touched on `queue` only, where every publisher and the terminal's events are
    // received; before `start` nothing runs there.
    typealias List = ListView<Message.Section, MessageID>

    let options: Options
    let client: ChatClient
    let queue = DispatchQueue(label: "diffroom.screen")
    let terminal: Terminal
    let list = List()
    let clock = ContinuousClock()

    /// Who we are, as far as is known.
    private(set) var user: UserName
    var look: MessageLook
    var controls = Controls()
    var status: StatusLine
    /// What is known of the room; `nil` before its first state.
    var room: RoomView?
    /// Who is in the room; `nil` while the server does not say.
    var members: MembersView?
    /// When the others were told last that we are writing something; `nil` when they were told otherwise.
    var typingTold: ContinuousClock.Instant?
    var isMarkingRead = false
    /// What we may do in the room.
    var standing = RoomStanding()
    var joined: Milliseconds?
    /// When each command was given that has no answer yet.
    var unanswered: [CommandID: ContinuousClock.Instant] = [:]
    var retryTime: ContinuousClock.Instant?
    var noticeEnd: ContinuousClock.Instant?
    /// Messages found, the newest first, and the place of the one that is shown.
    var found: (messages: [MessageID], place: Int)?
    /// The message that will be deleted, unless that is taken back before.
    var deletion: MessageID?
    /// The manual's first line that is shown.
    var manualTop = 0
    var isQuitting = false
    var wasOnline = false

    private var source: List.Source?
    private var subscriptions: [Subscription] = []
    private var events: TerminalEvents?
    private var isDrawn = true
    private var isTicking = false
    private var lastFrame: ContinuousClock.Instant?

    /// How often what fades, and the clock, is looked at.
    private static let tick = DispatchTimeInterval.milliseconds(350)
    /// Between frames at least; more is not seen.
    private static let frameTime = Duration.milliseconds(12)

    /// - Throws: ``TerminalUI/TerminalError`` if there is no screen to have, ``ChatClient/ChatClientError``.
    init(_ options: Options, environment: [String: String]) throws {
        self.options = options
        client = try options.credentials.client(of: options.url, as: options.user, authorities: options.authorities)
        user = options.user
        look = MessageLook(user: options.user, calendar: WallClock())
        status = StatusLine(room: options.room.description)
        terminal = try Terminal(environment: environment)
    }

    /// With a token it is the server that says who we are.
    func become(_ user: UserName) {
        guard user != self.user else { return }
        self.user = user
        let (query, leaving) = (look.query, look.leaving)
        look = MessageLook(user: user, calendar: WallClock())
        (look.query, look.leaving) = (query, leaving)
    }

    func start() {
        queue.async { [self] in
            let source = List.Source(view: list) { [unowned self] list, path, id, _ in cell(list, path, id) }
            source.sectionHeaderProvider = { [unowned self] list, _, section in header(section, list.size.columns) }
            (self.source, list.source) = (source, source)
            subscriptions = [
                client.didChange.receive(on: queue, policy: .keepAll(upTo: 100_000)).sink { self.changed($0) },
                client.membersDidChange.receive(on: queue, policy: .keepAll(upTo: 100_000)).sink {
                    self.membersChanged($0)
                },
                client.connection.receive(on: queue, policy: .keepAll(upTo: 1_000)).sink { self.connection($0) },
                client.answers.receive(on: queue, policy: .keepAll(upTo: 100_000)).sink { self.answered($0) },
                client.notices.receive(on: queue, policy: .keepAll(upTo: 1_000)).sink { self.noticed($0) },
            ]
            events = TerminalEvents(on: queue) { self.handle($0) }
            client.open(options.room, limit: options.limit)
            client.openMembers(of: options.room)
            setNeedsDrawing()
        }
    }

    func apply(_ change: RoomChange) {
        let isNews = change.cause == .live || change.cause == .caughtUp
        source?.update(animatingDifferences: isNews) { change.advance(&$0) }
    }

    private func handle(_ event: TerminalEvents.Event) {
        switch event {
        case .input: for key in terminal.readKeys() { press(key) }
        case .resized: terminal.resize()
        case .terminated, .hungUp: end(.done)
        }
        setNeedsDrawing()
    }

    /// - Parameter message: for standard error, once the terminal is given back.
    func end(_ exitStatus: Output.ExitStatus, _ message: String? = nil) -> Never {
        terminal.end()
        client.close()
        let output = Output(.plain, environment: [:])
        if let message { output.say(message) }
        output.end(exitStatus)
    }

    // MARK: - Drawing

    /// Has the screen drawn soon, once for all that happens until then.
    func setNeedsDrawing() {
        guard isDrawn else { return }
        isDrawn = false
        let wait = lastFrame.map { max(.zero, $0 + Self.frameTime - clock.now) } ?? .zero
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(wait / .nanoseconds(1)))) { [self] in
            isDrawn = true
            draw()
            lastFrame = clock.now
            scheduleTick()
        }
    }

    private func draw() {
        let size = terminal.size
        let prompt = Prompt(controls, user: user.description, name: subjectName, size: size)
        let present = status.isOnline ? members?.members ?? [] : []
        let typing = TypingLine.lines(present, besides: user, width: size.columns)
        let paneWidth = members == nil ? 0 : MembersPane.width(of: size.columns)
        let rows = max(1, size.rows - prompt.lines.count - typing.count - 1)
        list.resize(to: Frame.Size(rows: rows, columns: size.columns - paneWidth))
        var lines = main(paneWidth)
        status.unread = list.unseen
        lines += typing + [status.line(width: size.columns)] + prompt.lines
        var cursor = prompt.cursor
        cursor?.row += lines.count - prompt.lines.count
        terminal.show(Frame(lines: lines, cursor: cursor))
        markRead()
    }

    private func main(_ paneWidth: Int) -> [Line] {
        if controls.mode == .helping {
            let size = Frame.Size(rows: list.size.rows, columns: terminal.size.columns)
            return Manual(columns: size.columns).lines(from: &manualTop, rows: size.rows)
        }
        let lines = list.draw()
        guard let members, paneWidth > 0 else { return lines }
        let pane = MembersPane(members: members, end: room?.messages.last?.sort, isLive: status.isOnline).lines(
            size: Frame.Size(rows: list.size.rows, columns: paneWidth))
        return zip(lines, pane).map { line, end in
            var line = line
            line.append(end)
            return line
        }
    }

    // MARK: - Time

    /// Looks at the clock again while there is something that it changes.
    private func scheduleTick() {
        guard !isTicking, list.isFading || noticeEnd != nil || retryTime != nil else { return }
        isTicking = true
        queue.asyncAfter(deadline: .now() + Self.tick) { [self] in
            isTicking = false
            list.fade()
            if let end = noticeEnd, end <= clock.now { (status.notice, noticeEnd) = (nil, nil) }
            status.secondsToRetry = retryTime.map { max(0, Int($0 - clock.now)) }
            setNeedsDrawing()
        }
    }

    /// Says something for a while.
    func say(_ text: String) {
        status.notice = text
        noticeEnd = clock.now + .seconds(5)
        setNeedsDrawing()
    }
}

extension Int {
    /// Whole seconds, the last one begun counting.
    fileprivate init(_ duration: Duration) {
        self = Int(duration.components.seconds) + (duration.components.attoseconds > 0 ? 1 : 0)
    }
}
