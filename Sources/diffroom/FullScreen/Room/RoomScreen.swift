import ChatClient
import ChatWire
import Diffable
import Foundation
import Replicas
import TerminalUI

/// One room on the full screen: the part of it that is shown, and the line that the user writes.
///
/// The terminal is the view of a data source whose items are the messages' ids and the gaps between them. A row is drawn
/// from the room's present state. A room that is not shown is kept up to date, so that it comes back as it was left.
///
/// - Threads: use it only on the screen's queue.
final class RoomScreen: @unchecked Sendable {
    // @unchecked: it is made and used on the screen's queue only.
    typealias List = ListView<Message.Section, RoomItem>

    let name: RoomName
    /// The message to begin with, instead of the end of the room.
    let beginning: MessageID?
    unowned let screen: FullScreen
    let list = List()

    var look: MessageLook
    var controls = Controls()
    var pending = PendingMessages()
    /// The texts of edits that the server has refused.
    var refusedEdits: [MessageID: String] = [:]
    /// The room's state; `nil` before its first one.
    var view: RoomView?
    /// The people in the room; `nil` until the server has sent them.
    var members: MembersView?
    /// The changes of messages that the server has not answered.
    var pendingChanges = PendingChanges()
    /// The pinned messages; `nil` until the server has sent them.
    var pins: PinsView?
    var pendingPins = PendingPins()
    /// The user's rights in the room.
    var standing = RoomStanding()
    var joined: Milliseconds?
    /// The messages found, the newest first, and the place of the one shown.
    var found: (messages: [MessageID], place: Int)?
    /// The search in messages that are not loaded yet, while it is under way.
    var deepSearch: DeepSearch?
    /// The messages that are new since the user last read; `nil` before that is known.
    var news: News?
    /// The user's read mark, as this program has sent it.
    var sentRead: Revision = 0
    /// The stay on the screen, since the user came to the room; an empty one while another room is shown.
    var visit = RoomVisit()
    var isMarkingRead = false
    /// True when the user has marked the room as unread, and has not left it since.
    var isLeftAlone = false
    /// True when the user has come to the room, and a mark as unread has not ended yet.
    var hasCome = false
    /// The time of the last report that the user is writing; `nil` after a report that they are not.
    var typingSent: ContinuousClock.Instant?
    /// The direction in which the reader moves through the messages.
    var heading = Controls.ListDirection.up
    /// The place that the reader wants to go to, while it is being loaded.
    var destination: PagePlace.Anchor?
    /// The message that the reader has come to while writing. Tab chooses it.
    var arrival: MessageID?
    /// The gaps that the server has refused to fill on this connection.
    var refusedGaps: Set<Int> = []
    /// The message at the top of the window, as last reported to the client.
    var lookedAt: MessageID?
    /// The message that will be deleted, unless that is taken back before.
    var deletion: MessageID?
    /// The first line of the manual that is shown.
    var manualTop = 0

    private var source: List.Source?

    init(_ name: RoomName, at beginning: MessageID? = nil, on screen: FullScreen) {
        (self.name, self.beginning, self.screen) = (name, beginning, screen)
        look = MessageLook(user: screen.user, calendar: WallClock())
        look.ignored = screen.ignored
        for line in screen.history.lines { controls.draft.remember(line) }
        let source = List.Source(view: list) { [unowned self] list, path, id, _ in cell(list, path, id) }
        source.sectionHeaderProvider = { [unowned self] list, _, section in header(section, list.size.columns) }
        (self.source, list.source) = (source, source)
    }

    var client: ChatClient { screen.client }
    var user: UserName { screen.user }
    var label: RoomLabel { screen.labels[name] }
    /// True when the keys are for it.
    var isShown: Bool { screen.rooms.shown === self }
    /// True when it is on the screen.
    var isVisible: Bool { screen.rooms.visible.contains { $0 === self } }

    /// True when nothing is lost by closing the room.
    var isIdle: Bool {
        switch controls.mode {
        case .replying, .editing, .reacting, .reminding, .confirming: false
        case .writing, .selecting, .searching, .helping: controls.draft.isEmpty && deletion == nil
        }
    }

    /// Shows who invites the user to the room; `nil` if the user has accepted, or is not invited.
    var invitation: String? {
        guard let room = screen.ownRooms?[name], room.section == .invited else { return nil }
        return room.invitation(screen.people)
    }

    /// The message that the thread answers, as far as its room is here; `nil` for a room.
    private var root: Message? {
        guard let parent = name.parent, let root = name.root else { return nil }
        return screen.rooms[parent]?.view?[root]
    }

    private func line(of message: Message) -> String {
        let isHidden = screen.ignored.remedy(for: message.text, of: message.author) != nil
        return isHidden ? "a hidden message" : "\(screen.people[message.author]): \(message.displayText)"
    }

    /// True when the user sees new messages as they come.
    var isFollowed: Bool { isVisible && !screen.isCovered && list.isFollowing }

    // MARK: - On the screen and off it

    /// Comes onto the screen.
    func show() {
        (isLeftAlone, hasCome, visit) = (false, true, RoomVisit())
        client.open(name, limit: screen.options.limit)
        client.openMembers(of: name)
        if !name.isThread { client.openPins(of: name) }
        renewNews()
    }

    /// Leaves the screen.
    func hide() {
        sendTypingEnd()
        sendReadMarkOfStay()
        visit = RoomVisit()
    }

    /// Applies the user's new name.
    func setUser(_ user: UserName) {
        let old = look
        look = MessageLook(user: user, calendar: WallClock(), people: screen.people, ignored: screen.ignored)
        look.links = old.links
        (look.query, look.leaving, look.changing, look.pinned) = (old.query, old.leaving, old.changing, old.pinned)
    }

    func apply(_ change: RoomChange) {
        // Messages that the client has dropped do not look deleted.
        let isNews = (change.cause == .live || change.cause == .caughtUp) && change.gaps.isEmpty
        source?.update(animatingDifferences: isNews && isVisible) { change.apply(to: &$0) }
    }

    /// Shows a notice below the room, if it is shown.
    func showNotice(_ text: String) {
        if isShown { screen.showNotice(text) }
    }

    func setNeedsDrawing() {
        if isVisible { screen.setNeedsDrawing() }
    }

    /// Adds what there is to say of the room.
    func describe(in status: inout StatusLine) {
        (status.room, status.revision, status.unread) = (label.heading, view?.revision, unread)
        status.topic =
            root.map(line(of:)) ?? standing.topic?.description ?? ""
        status.found = found.map { ($0.messages.isEmpty ? 0 : $0.place + 1, $0.messages.count) }
        status.searching = searchProgress
    }
}
