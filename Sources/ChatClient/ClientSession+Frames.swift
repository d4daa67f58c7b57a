import ChatWire

extension ClientSession {
    mutating func handle(_ frame: ServerFrame) {
        switch phase {
        case .idle, .connecting, .waiting, .ended: return  // of a connection that was given up
        case .greeting, .ready: lastHeard = now
        }
        switch frame {
        // News before the answer to a subscribe belongs to the time before it.
        case .snapshot(nil, let list, let snapshot): if lists[list]?.phase == .live { apply(snapshot, of: list) }
        case .diff(nil, let list, let epoch, let diff):
            if lists[list]?.phase == .live { apply(diff, epoch, of: list, cause: .live) }
        case .expiring: tokenExpires()
        case .error(nil, let error): notify(.passedOver("an error without a request: \(error.message)"))
        case .bye(let code, let reason, let retryAfter):
            announcedClose = AnnouncedClose(loss: .closed(code: code, reason: reason), retryAfter: retryAfter ?? 0)
        case .ended(let list, let ending): ended(list, ending)
        case .standing(let room, let standing): apply(standing, in: room)
        case .welcome, .ok, .roomsRead, .error, .pong, .snapshot, .diff, .page, .audit, .found,
            .uploading, .links:
            handleAnswer(frame)
        }
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
        case (.page(let asked), .page(_, let list, let epoch, let page)) where asked == list:
            pageCame(page, epoch, ref: ref, of: list)
        case (.page(let list), .error(_, let error)): pageFailed(error, ref: ref, of: list)
        case (.mentionsPage(let place), .page(_, _, let epoch, let page as MentionsPage)):
            mentionsCame(page, epoch, before: place, ref: ref)
        case (.mentionsPage, .error(_, let error)): pageFailed(error, ref: ref, of: .myMentions)
        case (.question(let question), _):
            if let notice = question.notice(of: frame) { notify(notice) } else { misunderstood(ref) }
        case (.command, .ok(_, let effect)): commandDone(ref, effect)
        case (.command, .error(_, let error)): commandFailed(ref, error)
        case (.unsubscribe, .ok), (.unsubscribe, .error), (.passing, .ok), (.passing, .error): break
        case (.read, .ok), (.readAll, .ok): break
        case (.readAll(let room), .error(_, let error)): readAllFailed(error, in: room)
        case (.readRooms, .roomsRead(_, let rooms)): wereRead(rooms)
        case (.readRooms(let rooms), .error(_, let error)): for room in rooms { readAllFailed(error, in: room) }
        case (.people, .ok): break
        case (.people(let names), .error(_, let error)): peopleRefused(names, error)
        case (.draft(let room, let number), .ok): unstoredDrafts.remove(room, number)
        case (.draft(let room, let number), .error(_, let error)): draftRefused(in: room, number, error)
        case (.later(let id, let plan, let number), .ok): laterStored(id, plan, number)
        case (.later(let id, let plan, let number), .error(_, let error)): laterRefused(id, plan, number, error)
        case (.block(let user, let direction, let number), .ok): blockStored(user, direction, number)
        case (.block(let user, let direction, let number), .error(_, let error)):
            blockRefused(user, direction, number, error)
        case (.read(let room), .error(_, let error)): markFailed(error, in: room)
        case (.ping, .pong), (.ping, .error), (.token, .ok): break
        case (.token, .error(_, let error)): notify(.noFreshToken(error.message))
        default: misunderstood(ref)
        }
    }

    private mutating func misunderstood(_ ref: UInt64) {
        misunderstood("the answer to request \(ref) is of another kind")
    }

    /// Handles the answer to a subscribe. The list may have been subscribed to again since.
    ///
    /// - Returns: whether the frame is one.
    private mutating func subscribed(to asked: ListName, by frame: ServerFrame, _ ref: UInt64) -> Bool {
        let isAwaited = lists[asked]?.phase == .requested(ref)
        switch frame {
        case .snapshot(_, asked, let snapshot): if isAwaited { apply(snapshot, of: asked) }
        case .diff(_, asked, let epoch, let diff): if isAwaited { apply(diff, epoch, of: asked, cause: .caughtUp) }
        case .error(_, let error): if isAwaited { subscribeFailed(asked, error) }
        default: return false
        }
        return true
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
