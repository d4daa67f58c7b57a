import ChatClient
import ChatWire
import Diffable
import Dispatch
import Publishing
import TerminalUI

/// The client on the whole screen.
///
/// The terminal is the view of a data source whose items are the messages' ids and the gaps between them. A row is drawn
/// from the room's present state.
final class FullScreen: ClientObserver, @unchecked Sendable {
    // @unchecked: all mutable state is touched on `queue` only, which receives every publisher and the terminal's
    // events. Before `start` nothing runs there.
    typealias List = ListView<Message.Section, RoomItem>

    let options: Options
    let client: ChatClient
    let queue = DispatchQueue(label: "diffroom.screen")
    let terminal: Terminal
    let list = List()
    let clock = ContinuousClock()

    /// The user's name, or a placeholder until it is known.
    private(set) var user: UserName
    var look: MessageLook
    var controls = Controls()
    var status: StatusLine
    /// The room; `nil` before its first state.
    var room: RoomView?
    /// The people in the room; `nil` while the server does not tell.
    var members: MembersView?
    /// The time of the last report that the user is writing; `nil` after a report that they are not.
    var typingTold: ContinuousClock.Instant?
    var isMarkingRead = false
    /// The user's rights in the room.
    var standing = RoomStanding()
    var joined: Milliseconds?
    /// The start time of each command without an answer.
    var unanswered: [CommandID: ContinuousClock.Instant] = [:]
    var retryTime: ContinuousClock.Instant?
    var noticeEnd: ContinuousClock.Instant?
    /// The messages found, the newest first, and the place of the one shown.
    var found: (messages: [MessageID], place: Int)?
    /// The messages that are new since the user last read; `nil` before that is known.
    var news: News?
    /// The direction in which the reader moves through the messages.
    var heading = Controls.ListDirection.up
    /// The place that the reader wants to go to, while it is being loaded.
    var destination: PagePlace.Anchor?
    /// The message that the reader has come to while writing. Tab chooses it.
    var arrival: MessageID?
    /// The gaps that the server has refused to fill on this connection.
    var refusedGaps: Set<Int> = []
    /// The message at the top of the window, as the client was told.
    var lookedAt: MessageID?
    /// The message that will be deleted, unless that is taken back before.
    var deletion: MessageID?
    /// The first line of the manual that is shown.
    var manualTop = 0
    var isQuitting = false
    var wasOnline = false

    private var source: List.Source?
    private var subscriptions: [Subscription] = []
    private var events: TerminalEvents?
    private var isDrawn = true
    private var isTicking = false
    private var lastFrame: ContinuousClock.Instant?

    /// The interval at which fading marks and the clock are updated.
    private static let tick = DispatchTimeInterval.milliseconds(350)
    /// The least time between frames; more would not be visible.
    private static let frameTime = Duration.milliseconds(12)

    /// - Throws: ``TerminalUI/TerminalError`` if there is no screen, ``ChatClient/ChatClientError``.
    init(_ options: Options, environment: [String: String]) throws {
        self.options = options
        client = try options.credentials.client(of: options.url, as: options.user, authorities: options.authorities)
        user = options.user
        look = MessageLook(user: options.user, calendar: WallClock())
        status = StatusLine(room: options.room.description)
        terminal = try Terminal(environment: environment)
    }

    /// Takes the user's name from the server. With a token, the server tells it.
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
            subscriptions = follow()
            events = TerminalEvents(on: queue) { self.handle($0) }
            client.open(options.room, limit: options.limit)
            client.openMembers(of: options.room)
            setNeedsDrawing()
        }
    }

    func apply(_ change: RoomChange) {
        // Messages that were let go of do not look as if somebody had deleted them.
        let isNews = (change.cause == .live || change.cause == .caughtUp) && change.gaps.isEmpty
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

    /// - Parameter message: for standard error, after the terminal is restored.
    func end(_ exitStatus: Output.ExitStatus, _ message: String? = nil) -> Never {
        terminal.end()
        client.close()
        let output = Output(.plain, environment: [:])
        if let message { output.say(message) }
        output.end(exitStatus)
    }

    // MARK: - Drawing

    /// Schedules a drawing of the screen, one for all changes until then.
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
        status.unread = unread
        lines += typing + [status.line(width: size.columns)] + prompt.lines
        var cursor = prompt.cursor
        cursor?.row += lines.count - prompt.lines.count
        terminal.show(Frame(lines: lines, cursor: cursor))
        loadWhatIsShown()
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

    /// Schedules a tick while something changes with time.
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

    /// Shows a notice for a while.
    func say(_ text: String) {
        status.notice = text
        noticeEnd = clock.now + .seconds(5)
        setNeedsDrawing()
    }
}

extension Int {
    /// Whole seconds, rounded up.
    fileprivate init(_ duration: Duration) {
        self = Int(duration.components.seconds) + (duration.components.attoseconds > 0 ? 1 : 0)
    }
}
