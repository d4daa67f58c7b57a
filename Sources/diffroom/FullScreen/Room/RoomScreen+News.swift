import ChatClient
import ChatWire
import Diffable
import Foundation
import Replicas
import TerminalUI

extension RoomScreen {
    // MARK: - The client's news

    func changed(_ change: RoomChange) {
        let isFirst = view == nil
        if isFirst { joined = Milliseconds(Date().timeIntervalSince1970 * 1_000) }
        if let view, view.epoch != change.view.epoch { (sentRead, visit) = (0, RoomVisit()) }
        view = change.view
        pending.removeShown(in: view)
        screen.followProfiles(newcomers(of: change))
        forgetQuotes(of: change)
        list.forgetHeaders()
        list.forgetCells { $0.message == nil }
        if change.cause == .caughtUp { heading = .down }
        apply(change)
        noteNews()
        arrive(by: change)
        searchIn(change)
        leaveWhatIsGone()
        if isFirst, let beginning { go(to: .id(beginning)) }
        setNeedsDrawing()
    }

    func membersChanged(_ change: MembersChange) {
        members = change.view
        screen.followProfiles(change.view.members.map(\.id))
        noteNews()
        setNeedsDrawing()
    }

    /// Profiles have changed.
    func peopleChanged() {
        look.people = screen.people
        list.forgetCells()
        list.forgetHeaders()
    }

    /// The authors of the messages that have come.
    private func newcomers(of change: RoomChange) -> Set<UserName> {
        Set(change.changes.inserted.compactMap { change.view[$0]?.author })
    }

    /// The user's read mark, on whichever device they read; `nil` before it is known.
    ///
    /// A member's mark is on disk. A guest's is known to the server for as long as it sees them.
    private var readMark: Revision? {
        guard screen.knowsOwnRooms else { return nil }
        if let light = screen.membership(of: name)?.light, light.isMarked { return light.read }
        let known = screen.membership(of: name)?.light.read ?? members?[user]?.light.read
        return known.map { max($0, sentRead) }
    }

    /// Notes the messages that are new when the room is opened, before the client reports them as read.
    func noteNews() {
        guard news == nil, let readMark, let end = view?.messages.last?.sort else { return }
        news = News(mark: readMark, end: end, user: user)
        list.forgetCells()
    }

    /// Notes the messages that came while the room was not shown. If none came, the line above the earlier ones stays.
    func renewNews() {
        guard news != nil, let readMark, let view, let end = view.messages.last?.sort else { return }
        let isNew = view.messages.reversed().prefix { $0.sort > readMark }.contains { $0.author != user }
        guard isNew else { return }
        news = News(mark: readMark, end: end, user: user)
        list.forgetCells()
    }

    /// Redraws the messages that quote a new, deleted or changed message.
    private func forgetQuotes(of change: RoomChange) {
        let changes = change.changes
        let touched = Set(changes.deleted + changes.reloaded + (change.cause == .live ? [] : changes.inserted))
        guard !touched.isEmpty else { return }
        list.forgetCells { $0.message.flatMap { change.view[$0]?.replyTo }.map(touched.contains) ?? false }
    }

    /// Leaves a mode whose message another user has deleted.
    private func leaveWhatIsGone() {
        switch controls.mode {
        case .replying(let id), .editing(let id), .reacting(let id), .reminding(let id),
            .confirming(.delete(let id), _):
            guard view?[id] == nil else { return }
            let text = if case .editing = controls.mode { controls.side.text } else { "" }
            controls.draft.remember(text)
            for action in controls.leave() { perform(action) }
            showNotice("that message was deleted\(text.isEmpty ? "" : ": ↑ brings your text back")")
        case .selecting where list.selection == nil:
            for action in controls.leave() { perform(action) }
        case .writing, .selecting, .confirming, .searching, .helping: break
        }
    }

    // MARK: - The list's cells

    func cell(_ list: List, _ path: ItemPath, _ item: RoomItem) -> ListCell {
        guard let view else { return ListCell([]) }
        guard let message = item.message.flatMap({ view[$0] }) else {
            return look.gap(view, width: list.contentWidth - 1)
        }
        let above = list.snapshot.itemIdentifier(at: ItemPath(section: path.section, item: path.item - 1))
        let before = above?.message.flatMap { view[$0] }
        // The line of joining stands above the first message that came after it.
        let said = before?.time ?? (above == nil && message.section == .socket ? joined : nil)
        let quoted = message.replyTo.flatMap { view[$0] }
        let neighbour = above == nil ? view.messages.last { $0.sort < message.sort } : before
        let news = news?.text(above: message, after: neighbour, in: view)
        let cell = look.cell(
            message, after: before, on: said, quoting: quoted, news: news, width: list.contentWidth - 1)
        return ListCell(cell.lines.map { $0.targeting(ClickTarget.message(message.id).text) })
    }

    func header(_ section: Message.Section, _ width: Int) -> [Line] {
        guard let view else { return [] }
        switch section {
        case .history:
            let name = name.kind == .direct ? label.phrase : label.heading
            let text = view.hasOlder ? "PageUp brings older messages" : "the beginning of \(name.inOneLine)"
            return [.divider(text, width: width, .faint)]
        case .socket:
            let time = joined.map { timeOfJoining($0, in: view) } ?? ""
            return [.divider("you joined\(time)", width: width, Style(.accent))]
        }
    }

    /// Returns the time of joining, with the date unless that stands above already.
    private func timeOfJoining(_ joined: Milliseconds, in view: RoomView) -> String {
        let last = view.messages.last { $0.section == .history }
        let isSaid = last.map { look.calendar.isSameDay($0.time, joined) } ?? false
        return (isSaid ? "" : " on \(look.calendar.day(joined))") + " at \(look.calendar.time(joined))"
    }

    // MARK: - The selected message

    var subject: Controls.Subject? {
        guard let id = list.selection?.message, let message = view?[id] else { return nil }
        let isOwn = message.author == user
        return Controls.Subject(
            id: id, text: refusedEdits[id] ?? message.text, isOwn: isOwn,
            mayDelete: isOwn || standing.role >= .moderate,
            mayPin: standing.role >= .moderate || name.kind == .direct, mayStop: mayStop(message),
            replyTo: message.replyTo, hasFiles: !message.content.files.isEmpty)
    }

    private func mayStop(_ message: Message) -> Bool {
        guard message.content.growth == .open else { return false }
        return message.author == user || standing.role >= .moderate || message.mentions.people.contains(user)
    }

    /// The name of the author of the message that is answered or reacted to.
    var subjectName: String? {
        switch controls.mode {
        case .replying(let id), .reacting(let id), .reminding(let id): (view?[id]?.author).map { screen.people[$0] }
        case .writing, .editing, .confirming, .selecting, .searching, .helping: nil
        }
    }
}
