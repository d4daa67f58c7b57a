import ChatWire

extension ClientSession {
    mutating func open(_ room: RoomName, limit: Int) {
        if let known = rooms[room], known.phase != .refused { return }
        rooms[room] = RoomSession(limit: limit)
        subscribe(to: room)
    }

    mutating func leave(_ room: RoomName) {
        guard let left = rooms.removeValue(forKey: room) else { return }
        switch left.phase {
        case .asked, .live: _ = ask(.unsubscribe(.messages(room)), .unsubscribe)
        case .away, .postponed, .refused: break
        }
    }

    /// Subscribes if there is a connection: from where the replica stands, if it can be trusted.
    mutating func subscribe(to room: RoomName) {
        guard let welcome, let session = rooms[room], session.phase != .refused else { return }
        let wanted = max(session.limit, session.replica?.rows.count ?? 0)
        let limit = min(max(wanted, ListDigest.window), welcome.limits.rows)
        let resume = session.isDoubted ? nil : session.replica?.resume
        let ref = ask(.subscribe(.messages(room), limit: limit, resume: resume), .subscribe(room))
        rooms[room]?.phase = .asked(ref)
        rooms[room]?.forgetPage(until: now)
    }

    mutating func subscribeFailed(_ error: WireError, in room: RoomName) {
        if error.isPassing || error.code == .internal {
            rooms[room]?.phase = .postponed(until: now + error.pause)
        } else {
            rooms[room]?.phase = .refused
            notice(.roomRefused(room, error))
        }
    }

    mutating func tickRooms() {
        let due = rooms.filter { $0.value.deadline.map { $0 <= now } ?? false }.keys
        for room in due {
            if rooms[room]?.phase == .live { askOlder(in: room) } else { subscribe(to: room) }
        }
    }

    // MARK: - What is held

    mutating func adopt(_ frame: ServerFrame.MessageSnapshot, in room: RoomName) {
        let held = rooms[room]?.replica
        if let held, rooms[room]?.phase == .live, held.epoch == frame.epoch, held.revision > frame.snapshot.revision {
            return  // news that was overtaken
        }
        do throws(ReplicaError) {
            let replica = try Replica(frame)
            let changes = ReplicaChanges(from: held, to: replica)
            let deleted = changes.deleted.compactMap { held?[$0] }
            rooms[room]?.replica = replica
            rooms[room]?.isDoubted = false
            changed(room, .snapshot(frame.why), changes, deleted)
            followed(room)
        } catch {
            stumbled(error, in: room)
        }
    }

    mutating func follow(_ diff: ListDiff<Message>, _ epoch: Epoch, in room: RoomName, cause: RoomChange.Cause) {
        // Through the dictionary each time: a copy of the replica in hand would make applying copy all its rows.
        let deleted = diff.deletions.compactMap { rooms[room]?.replica?[$0] }
        do throws(ReplicaError) {
            guard let changes = try rooms[room]?.replica?.apply(diff, epoch: epoch) else {
                return misunderstood("a diff where nothing is held")
            }
            if cause != .live || !changes.isEmpty { changed(room, cause, changes, deleted) }
            followed(room)
        } catch {
            stumbled(error, in: room)
        }
    }

    private mutating func changed(
        _ room: RoomName, _ cause: RoomChange.Cause, _ changes: ReplicaChanges<MessageID>, _ deleted: [Message]
    ) {
        guard let view = view(of: room) else { return }
        effects.append(
            .changed(RoomChange(room: room, cause: cause, changes: changes, deleted: deleted, view: view)))
    }

    private mutating func followed(_ room: RoomName) {
        rooms[room]?.phase = .live
        rooms[room]?.missteps = 0
        askOlder(in: room)
    }

    /// Asks for the room again: at once the first time, then ever later, so that a server that is wrong is not flooded.
    private mutating func stumbled(_ error: ReplicaError, in room: RoomName) {
        notice(.resynchronizing(room, error))
        guard var session = rooms[room] else { return }
        if error.remedy == .startAfresh { session.isDoubted = true }
        session.missteps += 1
        session.forgetPage(until: now)
        let pause = min(30_000, 250 << min(session.missteps - 1, 10))
        session.phase = .postponed(until: now + Milliseconds(pause))
        rooms[room] = session
        if session.missteps == 1 { subscribe(to: room) }
    }

    // MARK: - Older messages

    mutating func older(_ room: RoomName, limit: Int) {
        guard let session = rooms[room], session.older == nil else { return }
        rooms[room]?.older = .wanted(limit: limit, from: now)
        if session.phase == .live { askOlder(in: room) }
    }

    private mutating func askOlder(in room: RoomName) {
        guard let welcome, case .wanted(let limit, let from) = rooms[room]?.older, from <= now else { return }
        guard let before = rooms[room]?.replica?.earliest else {
            rooms[room]?.older = nil
            return notice(.nothingOlder(room))
        }
        let rows = min(max(limit, ListDigest.window), welcome.limits.rows)
        let ref = ask(.page(.messages(room), before: before, limit: rows), .page(room))
        rooms[room]?.older = .asked(ref, limit: limit)
    }

    mutating func olderCame(_ page: ListPage<Message>, _ epoch: Epoch, ref: UInt64, in room: RoomName) {
        guard case .asked(ref, _) = rooms[room]?.older else { return }
        do throws(ReplicaError) {
            guard let changes = try rooms[room]?.replica?.insert(page, epoch: epoch) else { return }
            rooms[room]?.older = nil
            changed(room, .older, changes, [])
        } catch {
            rooms[room]?.forgetPage(until: now)
            if error.remedy == .askAgain { askOlder(in: room) } else { stumbled(error, in: room) }
        }
    }

    mutating func olderFailed(_ error: WireError, ref: UInt64, in room: RoomName) {
        guard case .asked(ref, _) = rooms[room]?.older else { return }
        if error.isPassing {
            rooms[room]?.forgetPage(until: now + error.pause)
        } else {
            rooms[room]?.older = nil
            notice(.olderRefused(room, error))
        }
    }
}
