import ChatWire

extension ClientSession {
    mutating func handle(_ frame: ServerFrame) {
        switch phase {
        case .idle, .connecting, .waiting, .ended: return  // of a connection that was given up
        case .greeting, .ready: lastHeard = now
        }
        switch frame {
        case .snapshot(nil, let list, let snapshot): handle(snapshot, of: list)
        case .diff(nil, let list, let epoch, let diff): handle(diff, epoch, of: list)
        case .memberSnapshot(nil, let list, let snapshot): handle(snapshot, of: list)
        case .memberDiff(nil, let list, let epoch, let diff): handle(diff, epoch, of: list)
        case .roomsSnapshot(nil, let snapshot): handle(snapshot, of: .myRooms)
        case .roomsDiff(nil, let epoch, let diff): handle(diff, epoch, of: .myRooms)
        case .mentionsSnapshot(nil, let snapshot): handle(snapshot, of: .myMentions)
        case .mentionsDiff(nil, let epoch, let diff): handle(diff, epoch, of: .myMentions)
        case .peopleSnapshot(nil, let snapshot): handle(snapshot, of: .myPeople)
        case .peopleDiff(nil, let epoch, let diff): handle(diff, epoch, of: .myPeople)
        case .expiring: tokenExpires()
        case .error(nil, let error): notify(.passedOver("an error without a request: \(error.message)"))
        case .bye(let code, let reason, let retryAfter):
            announcedClose = AnnouncedClose(loss: .closed(code: code, reason: reason), retryAfter: retryAfter ?? 0)
        case .ended(.messages(let room), let ending): ended(Message.self, of: room, ending)
        case .ended(.members(let room), let ending): ended(Member.self, of: room, ending)
        case .ended(.myRooms, let ending): ended(MyRoom.self, of: .me, ending)
        case .ended(.myMentions, let ending): ended(MyMention.self, of: .me, ending)
        case .ended(.myPeople, let ending): ended(Person.self, of: .me, ending)
        case .standing(let room, let standing): apply(standing, in: room)
        case .welcome, .ok, .roomsRead, .error, .pong, .snapshot, .diff, .page, .memberSnapshot, .memberDiff,
            .roomsSnapshot,
            .roomsDiff, .mentionsSnapshot, .mentionsDiff, .mentionsPage, .peopleSnapshot, .peopleDiff, .audit:
            handleAnswer(frame)
        }
    }

    // MARK: - News

    private mutating func handle<Row: FollowedRow>(_ snapshot: ServerFrame.Snapshot<Row>, of list: ListName) {
        if let owner = live(Row.self, list) { apply(snapshot, of: owner) }
    }

    private mutating func handle<Row: FollowedRow>(_ diff: ListDiff<Row>, _ epoch: Epoch, of list: ListName) {
        if let owner = live(Row.self, list) { follow(diff, epoch, of: owner, cause: .live) }
    }

    /// Returns the owner of a list whose news is to be applied. News before the answer to a subscribe belongs to the time
    /// before it.
    private func live<Row: FollowedRow>(_: Row.Type, _ list: ListName) -> Row.Owner? {
        guard let owner = Row.owner(of: list), self[keyPath: Row.sessions][owner]?.phase == .live else { return nil }
        return owner
    }

    // MARK: - Answers

    private mutating func handleAnswer(_ frame: ServerFrame) {
        guard let ref = frame.ref, let purpose = awaited.removeValue(forKey: ref) else {
            return notify(.passedOver("an answer without a request"))
        }
        handle(frame, ref, as: purpose)
        makeRoom(after: purpose)
    }

    private mutating func handle(_ frame: ServerFrame, _ ref: UInt64, as purpose: Awaited) {
        switch (purpose, frame) {
        case (.hello, .welcome(_, let welcome)): greeted(welcome)
        case (.hello, .error(_, let error)):
            disconnect(.refused(error), code: CloseCode.normal, retryAfter: error.retryAfter ?? 0)
        case (.subscribe(let list), _):
            if !subscribed(to: list, by: frame, ref) { misunderstood(ref) }
        case (.page(let room), .page(_, let list, let epoch, let page)) where list == .messages(room):
            pageCame(page, epoch, ref: ref, in: room)
        case (.page(let room), .error(_, let error)): pageFailed(error, ref: ref, in: room)
        case (.mentionsPage(let place), .mentionsPage(_, let epoch, let page)):
            mentionsCame(page, epoch, before: place, ref: ref)
        case (.mentionsPage, .error(_, let error)): mentionsFailed(error, ref: ref)
        case (.audit, .audit(_, let room, let page)): notify(.audit(room, page))
        case (.audit(let room, _), .error(_, let error)): notify(.auditRefused(room, error))
        case (.command, .ok(_, let effect)): commandDone(ref, effect)
        case (.command, .error(_, let error)): commandFailed(ref, error)
        case (.unsubscribe, .ok), (.unsubscribe, .error), (.passing, .ok), (.passing, .error): break
        case (.read, .ok), (.readAll, .ok): break
        case (.readAll(let room), .error(_, let error)): readAllFailed(error, in: room)
        case (.readRooms, .roomsRead(_, let rooms)): wereRead(rooms)
        case (.readRooms(let rooms), .error(_, let error)): for room in rooms { readAllFailed(error, in: room) }
        case (.people, .ok): break
        case (.people(let names), .error(_, let error)): peopleRefused(names, error)
        case (.read(let room), .error(_, let error)): markFailed(error, in: room)
        case (.ping, .pong), (.ping, .error), (.token, .ok): break
        case (.token, .error(_, let error)): notify(.noFreshToken(error.message))
        default: misunderstood(ref)
        }
    }

    private mutating func misunderstood(_ ref: UInt64) {
        misunderstood("the answer to request \(ref) is of another kind")
    }

    /// Handles the answer to a subscribe.
    ///
    /// - Returns: whether the frame is one.
    private mutating func subscribed(to asked: ListName, by frame: ServerFrame, _ ref: UInt64) -> Bool {
        switch frame {
        case .snapshot(_, asked, let snapshot): handle(snapshot, of: asked, ref)
        case .diff(_, asked, let epoch, let diff): handle(diff, epoch, of: asked, ref)
        case .memberSnapshot(_, asked, let snapshot): handle(snapshot, of: asked, ref)
        case .memberDiff(_, asked, let epoch, let diff): handle(diff, epoch, of: asked, ref)
        case .roomsSnapshot(_, let snapshot) where asked == .myRooms: handle(snapshot, of: asked, ref)
        case .roomsDiff(_, let epoch, let diff) where asked == .myRooms: handle(diff, epoch, of: asked, ref)
        case .mentionsSnapshot(_, let snapshot) where asked == .myMentions: handle(snapshot, of: asked, ref)
        case .mentionsDiff(_, let epoch, let diff) where asked == .myMentions: handle(diff, epoch, of: asked, ref)
        case .peopleSnapshot(_, let snapshot) where asked == .myPeople: handle(snapshot, of: asked, ref)
        case .peopleDiff(_, let epoch, let diff) where asked == .myPeople: handle(diff, epoch, of: asked, ref)
        case .error(_, let error):
            switch asked {
            case .messages: refuse(Message.self, asked, error, ref)
            case .members: refuse(Member.self, asked, error, ref)
            case .myRooms: refuse(MyRoom.self, asked, error, ref)
            case .myMentions: refuse(MyMention.self, asked, error, ref)
            case .myPeople: refuse(Person.self, asked, error, ref)
            }
        default: return false
        }
        return true
    }

    private mutating func handle<Row: FollowedRow>(
        _ snapshot: ServerFrame.Snapshot<Row>, of list: ListName, _ ref: UInt64
    ) {
        if let owner = pendingOwner(Row.self, list, ref) { apply(snapshot, of: owner) }
    }

    private mutating func handle<Row: FollowedRow>(
        _ diff: ListDiff<Row>, _ epoch: Epoch, of list: ListName, _ ref: UInt64
    ) {
        if let owner = pendingOwner(Row.self, list, ref) { follow(diff, epoch, of: owner, cause: .caughtUp) }
    }

    private mutating func refuse<Row: FollowedRow>(_: Row.Type, _ list: ListName, _ error: WireError, _ ref: UInt64) {
        if let owner = pendingOwner(Row.self, list, ref) { subscribeFailed(Row.self, of: owner, error) }
    }

    /// Returns the owner of a list that still waits for this answer. It may have subscribed again since.
    private func pendingOwner<Row: FollowedRow>(_: Row.Type, _ list: ListName, _ ref: UInt64) -> Row.Owner? {
        guard let owner = Row.owner(of: list), self[keyPath: Row.sessions][owner]?.phase == .requested(ref) else {
            return nil
        }
        return owner
    }

    mutating func unreadable(_ error: FrameError) {
        switch (phase, error) {
        case (.idle, _), (.connecting, _), (.waiting, _), (.ended, _): return
        case (_, .notAnObject(let what)): misunderstood(what)
        case (_, .bad(let ref?, let error)) where awaited[ref] != nil: misunderstood(error.message)
        case (_, .bad(_, let error)):
            // The frame may be of a later version. If it was a diff, the next one shows the gap.
            lastHeard = now
            notify(.passedOver(error.message))
        }
    }
}
