import ChatClient
import ChatWire
import Dispatch
import Publishing
import TerminalUI

/// The client on the whole screen: its rooms, of which one is shown, and their common state.
final class FullScreen: ClientObserver, @unchecked Sendable {
    // @unchecked: all mutable state is touched on `queue` only, which receives every publisher and the terminal's
    // events. Before `start` nothing runs there.
    var options: Options
    let client: ChatClient
    let queue = DispatchQueue(label: "diffroom.screen")
    let terminal: Terminal
    let clock = ContinuousClock()

    /// The user's name, or a placeholder until it is known.
    private(set) var user: UserName
    /// The rooms that are open.
    lazy var rooms = OpenRooms(RoomScreen(options.room, at: options.at, on: self))
    /// True when it is known which room to show. Without `--room`, the user's own rooms decide.
    var hasPlace: Bool
    /// The rooms that the user is a member of; `nil` before they are known.
    var ownRooms: RoomsView?
    /// The threads that the user follows; `nil` before they are known.
    var ownThreads: RoomsView?
    /// The labels of all known rooms.
    var labels = RoomLabels()
    /// The labels of people.
    var people = PeopleLabels()
    /// The commands whose answers lead to another room, and what to say there.
    var journeys: [CommandID: String] = [:]
    /// The joins of rooms that the user would have made, but which are there already.
    var found: Set<CommandID> = []
    /// The invitations that the user is declining.
    var declined: Set<CommandID> = []
    /// True when the server has sent the user's rooms, or has refused to.
    var knowsOwnRooms = false
    /// The choice of another room, while it is made.
    var switcher: Switcher?
    /// The messages that mention the user, while they are shown.
    var mentionsPanel: MentionsPanel?
    /// The pinned messages of the room shown, while they are shown.
    var pinsPanel: PinsPanel?
    var laterPanel: LaterPanel?
    /// The user's messages and reminders for later; `nil` before they are known.
    var later: LaterItemsView?
    /// The users whom the user blocks; `nil` before they are known.
    var blocked: BlockedView?
    /// The lines about items that the server has not stored yet.
    var unstored: [UniqueID: LaterLine] = [:]
    /// The changes of items that the server has not answered yet, in words.
    var changingItems: [UniqueID: String] = [:]
    /// The time by which the server's clock is ahead.
    var clockLead: Milliseconds = 0
    /// `nil` before they are known.
    var mentions: MentionsView?
    /// The user's drafts, of any device; `nil` before they are known.
    var drafts: DraftsView?
    var draftSync = DraftSync()
    /// The number of changes of lines that are to be stored.
    var draftsWritten = 0
    /// True to show the column of rooms, false to hide it, `nil` to show it in wide windows.
    var wantsRoomsColumn: Bool?
    /// The columns as they were drawn last.
    var columns = Columns(of: 80, hasRooms: false, hasMembers: false)
    /// The parts of the status line that do not depend on the room.
    var status = StatusLine(room: "")
    /// The start time of each command without an answer.
    var unanswered: [CommandID: ContinuousClock.Instant] = [:]
    /// The messages whose files are on their way, or wait for that. The first one is at work.
    var uploads: [Upload] = []
    /// The rooms of the settings that wait for an answer.
    var changingRooms: [CommandID: RoomName] = [:]
    var retryTime: ContinuousClock.Instant?
    /// The lines that the user has written, in earlier starts and in this one.
    let history: LineHistory
    /// The people and texts that are hidden on this screen.
    var ignored: Ignored
    /// `nil` for none.
    private var log: ChangeLog?
    var isQuitting = false
    var wasOnline = false

    private var noticeEnd: ContinuousClock.Instant?
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
        (history, log, ignored) = (LineHistory(options.history), options.log, options.ignored)
        hasPlace = options.namesRoom
        terminal = try Terminal(environment: environment, colours: options.colours, hasMouse: options.hasMouse)
    }

    /// Adds a change to the log, if there is one.
    func log(_ change: RoomChange) {
        do { try log?.append(change) } catch {
            log = nil
            showNotice("the log ends here: its file cannot be written any more")
        }
    }

    /// Applies the user's name from the server, which sends it for a token.
    func setUser(_ user: UserName) {
        guard user != self.user else { return }
        self.user = user
        for room in rooms.all { room.setUser(user) }
    }

    func start() {
        queue.async { [self] in
            subscriptions = follow()
            events = TerminalEvents(on: queue) { self.handle($0) }
            client.openRooms()
            client.openThreads()
            client.openDrafts()
            client.openLater()
            client.openBlocked()
            if hasPlace { rooms.shown.show() }
            setNeedsDrawing()
        }
    }

    private func handle(_ event: TerminalEvents.Event) {
        switch event {
        case .input: for key in terminal.readKeys() { press(key) }
        case .resized:
            terminal.resize()
            if terminal.size.columns < Columns.leastForTwo { unsplit() }
        case .terminated, .hungUp: end(.done)
        }
        setNeedsDrawing()
    }

    /// - Parameter message: for standard error, after the terminal is restored.
    func end(_ exitStatus: Output.ExitStatus, _ message: String? = nil) -> Never {
        flush()
        terminal.end()
        subscriptions = []  // so that the client waits for nothing here
        client.close()
        let output = Output(.plain, environment: [:])
        if let message { output.report(message) }
        output.end(exitStatus)
    }

    /// Sends the deletions that could be taken back, the read marks and the drafts to the server.
    func flush() {
        storeDrafts()
        for room in rooms.all { room.deleteNow() }
        for room in rooms.visible { room.sendReadMarkOfStay() }
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

    // MARK: - Time

    /// Schedules a tick while something changes with time.
    private func scheduleTick() {
        let isWaiting = noticeEnd != nil || retryTime != nil || !unanswered.isEmpty
        guard !isTicking, isWaiting || rooms.visible.contains(where: \.list.isFading) else { return }
        isTicking = true
        queue.asyncAfter(deadline: .now() + Self.tick) { [self] in
            isTicking = false
            for room in rooms.visible { room.list.fade() }
            if let end = noticeEnd, end <= clock.now { hideNotice() }
            status.secondsToRetry = retryTime.map { max(0, Int($0 - clock.now)) }
            updateSilence()
            setNeedsDrawing()
        }
    }

    /// Shows how long the server has not answered.
    func updateSilence() {
        status.silence = unanswered.values.min().map { clock.now - $0 }
    }

    /// Shows a notice for a while.
    func showNotice(_ text: String) {
        status.notice = text
        noticeEnd = clock.now + .seconds(5)
        setNeedsDrawing()
    }

    /// Removes the notice.
    func hideNotice() {
        (status.notice, noticeEnd) = (nil, nil)
    }
}

extension Int {
    /// Whole seconds, rounded up.
    fileprivate init(_ duration: Duration) {
        self = Int(duration.components.seconds) + (duration.components.attoseconds > 0 ? 1 : 0)
    }
}
