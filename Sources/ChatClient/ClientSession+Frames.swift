import ChatWire

extension ClientSession {
    mutating func received(_ frame: ServerFrame) {
        switch phase {
        case .idle, .connecting, .waiting, .ended: return  // of a connection that was given up
        case .greeting, .ready: lastHeard = now
        }
        switch frame {
        case .snapshot(nil, let list, let snapshot): news(list) { $0.adopt(snapshot, in: $1) }
        case .diff(nil, let list, let epoch, let diff): news(list) { $0.follow(diff, epoch, in: $1, cause: .live) }
        case .error(nil, let error): notice(.passedOver("an error about nothing: \(error.message)"))
        case .bye(let code, let reason, let retryAfter):
            farewell = Farewell(loss: .closed(code: code, reason: reason), retryAfter: retryAfter ?? 0)
        case .welcome, .ok, .error, .pong, .snapshot, .diff, .page, .memberSnapshot, .memberDiff: answer(frame)
        }
    }

    /// Calls `body` with the room if news of the list concern it: those that come before the answer to a
    /// subscribe are of the time before it.
    private mutating func news(_ list: ListName, _ body: (inout ClientSession, RoomName) -> Void) {
        guard case .messages(let room) = list, rooms[room]?.phase == .live else { return }
        body(&self, room)
    }

    private mutating func answer(_ frame: ServerFrame) {
        guard let ref = frame.ref, let purpose = awaited.removeValue(forKey: ref) else {
            return notice(.passedOver("an answer to nothing that was asked"))
        }
        switch (purpose, frame) {
        case (.hello, .welcome(_, let welcome)): greeted(welcome)
        case (.hello, .error(_, let error)):
            giveUp(.refused(error), code: CloseCode.normal, retryAfter: error.retryAfter ?? 0)
        case (.subscribe(let room), .snapshot(_, let list, let snapshot)) where list == .messages(room):
            if isAsked(ref, in: room) { adopt(snapshot, in: room) }
        case (.subscribe(let room), .diff(_, let list, let epoch, let diff)) where list == .messages(room):
            if isAsked(ref, in: room) { follow(diff, epoch, in: room, cause: .caughtUp) }
        case (.subscribe(let room), .error(_, let error)):
            if isAsked(ref, in: room) { subscribeFailed(error, in: room) }
        case (.page(let room), .page(_, let list, let epoch, let page)) where list == .messages(room):
            olderCame(page, epoch, ref: ref, in: room)
        case (.page(let room), .error(_, let error)): olderFailed(error, ref: ref, in: room)
        case (.command, .ok(_, let effect)): commandDone(ref, effect)
        case (.command, .error(_, let error)): commandFailed(ref, error)
        case (.unsubscribe, .ok), (.unsubscribe, .error), (.ping, .pong), (.ping, .error): break
        default: misunderstood("the answer to request \(ref) is of another kind")
        }
    }

    /// Whether the room waits for this answer, and has not been asked for anew since.
    private func isAsked(_ ref: UInt64, in room: RoomName) -> Bool {
        rooms[room]?.phase == .asked(ref)
    }

    mutating func unreadable(_ error: FrameError) {
        switch (phase, error) {
        case (.idle, _), (.connecting, _), (.waiting, _), (.ended, _): return
        case (_, .notAnObject(let what)): misunderstood(what)
        case (_, .bad(let ref?, let error)) where awaited[ref] != nil: misunderstood(error.message)
        case (_, .bad(_, let error)):
            // A frame of a later version, perhaps. If it was a diff, the next one shows the gap.
            lastHeard = now
            notice(.passedOver(error.message))
        }
    }
}
