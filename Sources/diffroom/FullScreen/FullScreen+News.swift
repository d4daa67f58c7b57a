import ChatClient
import ChatWire
import Diffable
import Foundation
import Replicas
import TerminalUI

extension FullScreen {
    // MARK: - The client's news

    func changed(_ change: RoomChange) {
        let isFirst = room == nil
        if isFirst { joined = Milliseconds(Date().timeIntervalSince1970 * 1_000) }
        room = change.view
        status.revision = change.view.revision
        forgetQuotes(of: change)
        list.forgetHeaders()
        list.forgetCells { $0.message == nil }
        if change.cause == .caughtUp { heading = .down }
        apply(change)
        noteNews()
        arrive(by: change)
        searchIn(change)
        leaveWhatIsGone()
        if isFirst, let id = options.at { go(to: .id(id)) }
        setNeedsDrawing()
    }

    func membersChanged(_ change: MembersChange) {
        members = change.view
        noteNews()
        setNeedsDrawing()
    }

    /// Notes what was new at the beginning, before anybody is told that it was read.
    private func noteNews() {
        guard news == nil, let own = members?[user], let room, let end = room.messages.last?.sort else { return }
        news = News(mark: own.light.read, end: end, user: user)
        list.forgetCells()
    }

    /// Redraws the messages that quote a new, deleted or changed message.
    private func forgetQuotes(of change: RoomChange) {
        let changes = change.changes
        let touched = Set(changes.deleted + changes.reloaded + (change.cause == .live ? [] : changes.inserted))
        guard !touched.isEmpty else { return }
        list.forgetCells { $0.message.flatMap { change.view[$0]?.replyTo }.map(touched.contains) ?? false }
    }

    /// Leaves a mode whose message somebody else has deleted.
    private func leaveWhatIsGone() {
        switch controls.mode {
        case .replying(let id), .editing(let id), .reacting(let id), .deleting(let id, _):
            guard room?[id] == nil else { return }
            for action in controls.leave() { perform(action) }
            say("that message was deleted")
        case .selecting where list.selection == nil:
            for action in controls.leave() { perform(action) }
        case .writing, .selecting, .searching, .helping: break
        }
    }

    func noticed(_ notice: SessionNotice) {
        switch notice {
        case .standing(_, let standing): self.standing = standing
        case .ended(.messages, _): end(.failed, "\(notice)")
        case .pageRefused(_, let page, _):
            refused(page)
            stopSearching()
        case .ended, .roomRefused, .membersRefused, .roomsRefused, .auditRefused, .audit, .resynchronizing,
            .nothingOlder, .noFreshToken, .passedOver:
            break
        }
        say("\(notice)")
    }

    func connection(_ state: ConnectionState) {
        status.connection = state
        retryTime = nil
        status.secondsToRetry = nil
        switch state {
        case .online(let welcome):
            wasOnline = true
            refusedGaps = []
            status.loss = nil
            become(welcome.user)
        case .waiting(let wait, let loss):
            status.loss = loss
            retryTime = clock.now + .milliseconds(wait)
            status.secondsToRetry = Int(wait + 999) / 1_000
        case .ended(let loss) where !wasOnline: end(.failed, "\(loss)")
        case .offline, .connecting, .ended: break
        }
        setNeedsDrawing()
    }

    func answered(_ answer: ChatClient.Answer) {
        if let begin = unanswered.removeValue(forKey: answer.command.id) { status.latency = clock.now - begin }
        status.unanswered = unanswered.count
        if case .refused(let error) = answer.outcome {
            say("not done: \(error.message)")
            if case .send(let text, _) = answer.command.action, controls.draft.isEmpty { controls.draft.set(text) }
        }
        if isQuitting, unanswered.isEmpty { end(.done) }
        setNeedsDrawing()
    }

    // MARK: - The list's cells

    func cell(_ list: List, _ path: ItemPath, _ item: RoomItem) -> ListCell {
        guard let room else { return ListCell([]) }
        guard let message = item.message.flatMap({ room[$0] }) else {
            return look.gap(room, width: list.contentWidth - 1)
        }
        let above = list.snapshot.itemIdentifier(at: ItemPath(section: path.section, item: path.item - 1))
        let before = above?.message.flatMap { room[$0] }
        // The line of joining stands above the first message that came after it.
        let said = before?.time ?? (above == nil && message.section == .socket ? joined : nil)
        let quoted = message.replyTo.flatMap { room[$0] }
        let neighbour = above == nil ? room.messages.last { $0.sort < message.sort } : before
        let news = news?.text(above: message, after: neighbour, in: room)
        return look.cell(
            message, after: before, on: said, quoting: quoted, news: news, width: list.contentWidth - 1)
    }

    func header(_ section: Message.Section, _ width: Int) -> [Line] {
        guard let room else { return [] }
        switch section {
        case .history:
            let text = room.hasOlder ? "PageUp brings older messages" : "the beginning of #\(options.room)"
            return [.divider(text, width: width, .faint)]
        case .socket:
            let time = joined.map { timeOfJoining($0, in: room) } ?? ""
            return [.divider("you joined\(time)", width: width, Style(.accent))]
        }
    }

    /// Returns the time of joining, with the date unless that stands above already.
    private func timeOfJoining(_ joined: Milliseconds, in room: RoomView) -> String {
        let last = room.messages.last { $0.section == .history }
        let isSaid = last.map { look.calendar.isSameDay($0.time, joined) } ?? false
        return (isSaid ? "" : " on \(look.calendar.day(joined))") + " at \(look.calendar.time(joined))"
    }

    // MARK: - The selected message

    var subject: Controls.Subject? {
        guard let id = list.selection?.message, let message = room?[id] else { return nil }
        let isOwn = message.author == user
        return Controls.Subject(
            id: id, text: message.text, isOwn: isOwn, mayDelete: isOwn || standing.role >= .moderate,
            replyTo: message.replyTo)
    }

    /// The name of the author of the message that is answered or reacted to.
    var subjectName: String? {
        switch controls.mode {
        case .replying(let id), .reacting(let id): room?[id]?.author.description
        case .writing, .editing, .deleting, .selecting, .searching, .helping: nil
        }
    }
}
