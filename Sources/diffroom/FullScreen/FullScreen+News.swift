import ChatClient
import ChatWire
import TerminalUI

/// The client's news.
extension FullScreen {
    func changed(_ change: RoomChange) {
        rooms[change.room]?.changed(change)
    }

    func membersChanged(_ change: MembersChange) {
        rooms[change.room]?.membersChanged(change)
    }

    func noticed(_ notice: SessionNotice) {
        switch notice {
        case .standing(let room, let standing):
            rooms[room]?.standing = standing
            guard room == rooms.shown.name else { return }
        case .ended(.messages(let room), _): return ended(room, notice)
        case .pageRefused(let room, let page, _): rooms[room]?.pageRefused(page)
        case .roomsRefused: learnedOwnRooms()
        case .ended, .roomRefused, .membersRefused, .auditRefused, .audit, .resynchronizing, .nothingOlder,
            .noFreshToken, .passedOver:
            break
        }
        say("\(notice)")
    }

    /// Leaves a room that cannot be followed any more. The program ends if it has no other.
    private func ended(_ room: RoomName, _ notice: SessionNotice) {
        if room == rooms.shown.name {
            let next = rooms.all.dropFirst().first?.name ?? ownRooms?.rooms.first { $0.id != room }?.id
            guard let next else { end(.failed, "\(notice)") }
            open(next)
        }
        rooms.close(room)
        client.close(room)
        say("\(notice)")
    }

    func connection(_ state: ConnectionState) {
        status.connection = state
        retryTime = nil
        status.secondsToRetry = nil
        switch state {
        case .online(let welcome):
            wasOnline = true
            for room in rooms.all { room.refusedGaps = [] }
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
        switch (answer.outcome, answer.command.action) {
        case (.refused(let error), _):
            say("not done: \(error.message)")
            rooms[answer.command.room]?.takeBack(answer.command)
        case (.done, .join): say("you are a member of #\(answer.command.room) now")
        case (.done, .leave): say("you are no member of #\(answer.command.room) any more")
        case (.done, _): break
        }
        if isQuitting, unanswered.isEmpty { end(.done) }
        setNeedsDrawing()
    }
}
