import ChatClient
import ChatWire
import TerminalUI

/// The client's news.
extension FullScreen {
    func changed(_ change: RoomChange) {
        rooms[change.room]?.changed(change)
        log(change)
    }

    func membersChanged(_ change: MembersChange) {
        rooms[change.room]?.membersChanged(change)
    }

    func pinsChanged(_ change: PinsChange) {
        rooms[change.room]?.pinsChanged(change)
    }

    func mentionsChanged(_ change: MentionsChange) {
        mentions = change.view
        followProfiles(change.view.mentions.map(\.author))
        setNeedsDrawing()
    }

    func peopleChanged(_ change: PeopleChange) {
        people.apply(change.view)
        labels.people = people
        for room in rooms.all { room.peopleChanged() }
        setNeedsDrawing()
    }

    /// Requests the profiles of people who come to be shown.
    func followProfiles(_ users: some Sequence<UserName>) {
        client.know(people.insert(users))
    }

    func noticed(_ notice: SessionNotice) {
        switch notice {
        case .standing(let room, let standing):
            let isNew = rooms[room]?.standing.isOther(than: standing) ?? false
            rooms[room]?.standing = standing
            labels.apply(standing, of: room)
            rooms[room]?.list.forgetHeaders()
            setNeedsDrawing()
            guard room == rooms.shown.name, isNew else { return }
        case .ended(.messages(let room), _): return ended(room, notice)
        case .pageRefused(let list, let page, _): if let room = list.room { rooms[room]?.pageRefused(page) }
        case .refused(.myRooms, _): learnedOwnRooms()
        case .laterStored(let id, let plan): return laterStored(id, plan)
        case .laterRefused(let id, _, _): return laterRefused(id, notice)
        case .blockStored(let user, .on): return showNotice("\(people.full(user)) is blocked: /unblock \(user)")
        case .uploading, .uploadRefused, .links, .linksRefused, .members, .membersRefused:
            return  // their tasks handle them
        case .ended, .refused, .readRefused, .auditRefused, .audit, .found, .searchRefused, .resynchronizing,
            .nothingOlder, .noFreshToken, .passedOver, .draftRefused, .blockStored, .blockRefused:
            break
        }
        showNotice(notice.text(labels))
    }

    /// Leaves a room that cannot be followed any more. The program ends if it has no other.
    private func ended(_ room: RoomName, _ notice: SessionNotice) {
        guard closeRoom(room) else { end(.failed, notice.text(labels)) }
        showNotice(notice.text(labels))
    }

    /// Goes on with another room if this one is shown, and follows this one no more.
    ///
    /// - Returns: false if there is no other room; then this one stays.
    @discardableResult
    func closeRoom(_ room: RoomName) -> Bool {
        if room == rooms.shown.name {
            guard let next = elsewhere(than: room) else { return false }
            open(next)
        }
        rooms.close(room)
        client.close(room)
        return true
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
            clockLead = welcome.clockLead
            setUser(welcome.user)
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
        changingRooms[answer.command.id] = nil
        let room = answer.room.flatMap { rooms[$0] }
        room?.pinAnswered(answer.command.id)
        room?.changeAnswered(answer.command.id)
        switch answer.outcome {
        case .refused(let error): refused(answer, error)
        case .done: done(answer)
        }
        status.unanswered = unanswered.count
        updateSilence()
        if isQuitting, unanswered.isEmpty, uploads.isEmpty { end(.done) }
        setNeedsDrawing()
    }

    private func refused(_ answer: ChatClient.Answer, _ error: WireError) {
        let text = journeys.removeValue(forKey: answer.command.id) ?? ""
        if let room = answer.command.roomFound(error) { return enter(found: room) }
        showNotice("not done: \(answer.command.refusal(error, labels))")
        if !text.isEmpty, rooms.shown.controls.draft.isEmpty { rooms.shown.controls.draft.set(text) }
        declined.remove(answer.command.id)
        found.remove(answer.command.id)
        answer.room.flatMap { rooms[$0] }?.refused(answer.command)
    }

    private func done(_ answer: ChatClient.Answer) {
        guard let room = answer.room else { return }
        switch answer.command.action {
        case .create(let new):
            labels.apply(new, as: room)
            arrive(in: room, journeys.removeValue(forKey: answer.command.id) ?? "")
        case .join where found.remove(answer.command.id) != nil:
            showNotice("\(labels[room].phrase) is there already: you are a member of it now")
        case .join where room.isThread: showNotice("you follow it now")
        case .join: showNotice("you are a member of \(labels[room].phrase) now")
        case .leave: left(room, declined.remove(answer.command.id) != nil)
        case .settings(let change): showNotice("\(labels[room].phrase): \(change.phrase)")
        case .moderate(let moderation):
            if let text = moderation.confirmation(in: labels[room], room.kind) { showNotice(text) }
        case .send: rooms[room]?.sent(answer)
        case .edit, .grow, .delete, .react, .summarize: break
        }
    }
}
