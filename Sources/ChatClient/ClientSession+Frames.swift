import ChatWire

extension ClientSession {
    mutating func received(_ frame: ServerFrame) {
        switch phase {
        case .idle, .connecting, .waiting, .ended: return  // of a connection that was given up
        case .greeting, .ready: lastHeard = now
        }
        switch frame {
        case .snapshot(nil, let list, let snapshot): if let room = live(list) { adopt(snapshot, in: room) }
        case .diff(nil, let list, let epoch, let diff):
            if let room = live(list) { follow(diff, epoch, in: room, cause: .live) }
        case .memberSnapshot(nil, let list, let snapshot): if let room = live(list) { adopt(snapshot, in: room) }
        case .memberDiff(nil, let list, let epoch, let diff):
            if let room = live(list) { follow(diff, epoch, in: room, cause: .live) }
        case .expiring: tokenExpires()
        case .error(nil, let error): notice(.passedOver("an error about nothing: \(error.message)"))
        case .bye(let code, let reason, let retryAfter):
            farewell = Farewell(loss: .closed(code: code, reason: reason), retryAfter: retryAfter ?? 0)
        case .ended(.messages(let room), let ending): ended(Message.self, of: room, ending)
        case .ended(.members(let room), let ending): ended(Member.self, of: room, ending)
        case .standing(let room, let standing): notice(.standing(room, standing))
        case .ended(.myRooms, _): notice(.passedOver("the end of a list that is not followed"))
        case .welcome, .ok, .error, .pong, .snapshot, .diff, .page, .memberSnapshot, .memberDiff, .roomsSnapshot,
            .roomsDiff, .audit:
            answer(frame)
        }
    }

    /// Returns the room of a list whose news is to be applied. News before the answer to a subscribe belongs to the time
    /// before it.
    private func live(_ list: ListName) -> RoomName? {
        switch list {
        case .messages(let room): rooms[room]?.phase == .live ? room : nil
        case .members(let room): people[room]?.phase == .live ? room : nil
        case .myRooms: nil
        }
    }

    private mutating func answer(_ frame: ServerFrame) {
        guard let ref = frame.ref, let purpose = awaited.removeValue(forKey: ref) else {
            return notice(.passedOver("an answer to nothing that was asked"))
        }
        switch (purpose, frame) {
        case (.hello, .welcome(_, let welcome)): greeted(welcome)
        case (.hello, .error(_, let error)):
            giveUp(.refused(error), code: CloseCode.normal, retryAfter: error.retryAfter ?? 0)
        case (.subscribe(let asked), .snapshot(_, let list, let snapshot)) where list == asked:
            if let room = asking(ref, asked) { adopt(snapshot, in: room) }
        case (.subscribe(let asked), .diff(_, let list, let epoch, let diff)) where list == asked:
            if let room = asking(ref, asked) { follow(diff, epoch, in: room, cause: .caughtUp) }
        case (.subscribe(let asked), .memberSnapshot(_, let list, let snapshot)) where list == asked:
            if let room = asking(ref, asked) { adopt(snapshot, in: room) }
        case (.subscribe(let asked), .memberDiff(_, let list, let epoch, let diff)) where list == asked:
            if let room = asking(ref, asked) { follow(diff, epoch, in: room, cause: .caughtUp) }
        case (.subscribe(let asked), .error(_, let error)):
            if asking(ref, asked) != nil { subscribeFailed(asked, error) }
        case (.page(let room), .page(_, let list, let epoch, let page)) where list == .messages(room):
            pageCame(page, epoch, ref: ref, in: room)
        case (.page(let room), .error(_, let error)): pageFailed(error, ref: ref, in: room)
        case (.audit, .audit(_, let room, let page)): notice(.audit(room, page))
        case (.audit(let room, _), .error(_, let error)): notice(.auditRefused(room, error))
        case (.command, .ok(_, let effect)): commandDone(ref, effect)
        case (.command, .error(_, let error)): commandFailed(ref, error)
        case (.unsubscribe, .ok), (.unsubscribe, .error), (.passing, .ok), (.passing, .error): break
        case (.ping, .pong), (.ping, .error), (.token, .ok): break
        case (.token, .error(_, let error)): notice(.noFreshToken(error.message))
        default: misunderstood("the answer to request \(ref) is of another kind")
        }
    }

    /// Returns the room of a list that still waits for this answer. It may have subscribed anew since.
    private func asking(_ ref: UInt64, _ list: ListName) -> RoomName? {
        switch list {
        case .messages(let room): rooms[room]?.phase == .asked(ref) ? room : nil
        case .members(let room): people[room]?.phase == .asked(ref) ? room : nil
        case .myRooms: nil
        }
    }

    private mutating func subscribeFailed(_ list: ListName, _ error: WireError) {
        switch list {
        case .messages(let room): subscribeFailed(Message.self, of: room, error)
        case .members(let room): subscribeFailed(Member.self, of: room, error)
        case .myRooms: break
        }
    }

    mutating func unreadable(_ error: FrameError) {
        switch (phase, error) {
        case (.idle, _), (.connecting, _), (.waiting, _), (.ended, _): return
        case (_, .notAnObject(let what)): misunderstood(what)
        case (_, .bad(let ref?, let error)) where awaited[ref] != nil: misunderstood(error.message)
        case (_, .bad(_, let error)):
            // The frame may be of a later version. If it was a diff, the next one shows the gap.
            lastHeard = now
            notice(.passedOver(error.message))
        }
    }
}
