import ChatWire
import Replicas

extension ClientSession {
    mutating func open<Row: FollowedRow>(_: Row.Type, of owner: Row.Owner, limit: Int) {
        var session = ListSession<Row>(limit: limit)
        if let known = self[keyPath: Row.sessions][owner] {
            guard known.phase == .refused else { return }
            // The rows are on a screen: the answer must contain the changes since.
            (session.replica, session.isStale) = (known.replica, known.isStale)
        }
        self[keyPath: Row.sessions][owner] = session
        subscribe(to: Row.self, of: owner)
    }

    mutating func openRooms(limit: Int) {
        guard let known = mine[.me], known.phase != .refused else { return open(MyRoom.self, of: .me, limit: limit) }
        guard limit > known.limit else { return }
        mine[.me]?.limit = limit
        if known.phase == .live { subscribe(to: MyRoom.self, of: .me) }
    }

    mutating func close(_ room: RoomName) {
        close(Member.self, of: room)
        close(Message.self, of: room)
    }

    mutating func close<Row: FollowedRow>(_: Row.Type, of owner: Row.Owner) {
        guard let left = self[keyPath: Row.sessions].removeValue(forKey: owner) else { return }
        switch left.phase {
        case .requested, .live: _ = request(.unsubscribe(Row.list(of: owner)), .unsubscribe)
        case .away, .postponed, .refused: break
        }
    }

    /// Subscribes if there is a connection. It resumes from the replica if that can be trusted.
    mutating func subscribe<Row: FollowedRow>(to _: Row.Type, of owner: Row.Owner) {
        guard let welcome, let session = self[keyPath: Row.sessions][owner], session.phase != .refused else { return }
        let resume = session.isStale ? nil : session.replica?.resume(at: session.at)
        // A diff leaves the held rows where they are. A snapshot takes their place.
        let wanted = max(session.limit, resume == nil ? session.replica?.rows.count ?? 0 : 0)
        let list = Row.list(of: owner)
        let most = list == .myRooms ? max(welcome.limits.memberships, ListDigest.window) : welcome.limits.rows
        let limit = min(max(wanted, ListDigest.window), most)
        let ref = request(.subscribe(list, limit: limit, resume: resume), .subscribe(list))
        self[keyPath: Row.sessions][owner]?.phase = .requested(ref)
        self[keyPath: Row.sessions][owner]?.requestedLimit = session.limit
        self[keyPath: Row.sessions][owner]?.isStandingKnown = false
        let now = now
        self[keyPath: Row.sessions][owner]?.forgetPage(until: now)
    }

    mutating func subscribeFailed<Row: FollowedRow>(_: Row.Type, of owner: Row.Owner, _ error: WireError) {
        if error.isPassing || error.code == .internal {
            let later = now + error.pause
            self[keyPath: Row.sessions][owner]?.phase = .postponed(until: later)
        } else {
            self[keyPath: Row.sessions][owner]?.phase = .refused
            notify(Row.refusal(of: owner, error))
        }
    }

    /// Handles the end of a subscription by the server. It is not renewed without the user's decision.
    mutating func ended<Row: FollowedRow>(_: Row.Type, of owner: Row.Owner, _ ending: ServerFrame.Ending) {
        guard self[keyPath: Row.sessions][owner] != nil else { return }
        self[keyPath: Row.sessions][owner]?.phase = .refused
        self[keyPath: Row.sessions][owner]?.paging = nil
        self[keyPath: Row.sessions][owner]?.next = nil
        notify(.ended(Row.list(of: owner), ending))
    }

    mutating func tickLists() {
        for room in unread.filter({ $0.value <= now }).keys.sorted() { readAll(room) }
        for room in due(Message.self) {
            if rooms[room]?.phase == .live { catchUp(in: room) } else { subscribe(to: Message.self, of: room) }
        }
        for room in due(Member.self) { subscribe(to: Member.self, of: room) }
        for me in due(MyRoom.self) { subscribe(to: MyRoom.self, of: me) }
        for me in due(MyMention.self) {
            if mentions[me]?.phase == .live { requestMentions() } else { subscribe(to: MyMention.self, of: me) }
        }
        if wanted.due.map({ $0 <= now }) == true { requestPeople() }
        for me in due(Person.self) { subscribe(to: Person.self, of: me) }
    }

    /// Sends the requests and reports that had to wait.
    private mutating func catchUp(in room: RoomName) {
        requestPage(in: room)
        if let due = rooms[room]?.readDue, due <= now { sendReadMark(in: room) }
    }

    private func due<Row: FollowedRow>(_: Row.Type) -> [Row.Owner] {
        self[keyPath: Row.sessions].filter { $0.value.deadline.map { $0 <= now } ?? false }.map(\.key).sorted()
    }

    // MARK: - The replicas

    mutating func apply<Row: FollowedRow>(_ frame: ServerFrame.Snapshot<Row>, of owner: Row.Owner) {
        let session = self[keyPath: Row.sessions][owner]
        let held = session?.replica
        if let held, session?.phase == .live, held.epoch == frame.epoch, held.revision > frame.snapshot.revision {
            return  // news that was overtaken
        }
        do throws(ReplicaError) {
            let replica = try Replica(frame)
            let changes = ReplicaChanges(from: held, to: replica)
            let deleted = changes.deleted.compactMap { held?[$0] }
            if let held, held.epoch != replica.epoch { self[keyPath: Row.sessions][owner]?.forgetRead() }
            self[keyPath: Row.sessions][owner]?.replica = replica
            self[keyPath: Row.sessions][owner]?.isStale = false
            // A page that is awaited is one of the old list's.
            let now = now
            self[keyPath: Row.sessions][owner]?.forgetPage(until: now)
            changed(owner, .snapshot(frame.why), changes, deleted, held?.held.gaps ?? [])
            followed(Row.self, of: owner)
        } catch {
            stumbled(error, Row.self, of: owner)
        }
    }

    mutating func follow<Row: FollowedRow>(
        _ diff: ListDiff<Row>, _ epoch: Epoch, of owner: Row.Owner, cause: RoomChange.Cause
    ) {
        // Go through the dictionary each time: with a copy of the replica, applying would copy all its rows.
        let deleted = diff.deletions.compactMap { self[keyPath: Row.sessions][owner]?.replica?[$0] }
        let held = self[keyPath: Row.sessions][owner]?.replica?.revision
        let gaps = gaps(Row.self, of: owner)
        do throws(ReplicaError) {
            guard let changes = try self[keyPath: Row.sessions][owner]?.replica?.apply(diff, epoch: epoch) else {
                return misunderstood("a diff of a list that is not loaded")
            }
            // Report a change without a changed row too: an observer may wait for its revision.
            if cause != .live || self[keyPath: Row.sessions][owner]?.replica?.revision != held {
                changed(owner, cause, changes, deleted, gaps)
            }
            followed(Row.self, of: owner)
        } catch {
            stumbled(error, Row.self, of: owner)
        }
    }

    mutating func changed<Row: FollowedRow>(
        _ owner: Row.Owner, _ cause: RoomChange.Cause, _ changes: ReplicaChanges<Row.ID>, _ deleted: [Row],
        _ gapsBefore: [ListGap]
    ) {
        guard let replica = self[keyPath: Row.sessions][owner]?.replica else { return }
        let gaps = GapChanges(from: gapsBefore, to: replica.held.gaps)
        let change = Row.change(of: owner, cause, changes, gaps, deleted: deleted, to: replica, in: &self)
        effects.append(Row.effect(change))
    }

    /// Returns the present state of each list of such rows, as the change that makes it of nothing.
    mutating func present<Row: FollowedRow>(_: Row.Type) -> [Row.Change] {
        let held = self[keyPath: Row.sessions].compactMap { owner, list in list.replica.map { (owner, $0) } }
        return held.sorted { $0.0 < $1.0 }.map { owner, replica in
            var changes = ReplicaChanges<Row.ID>()
            changes.inserted = Row.shown(of: replica, in: self)
            let gaps = GapChanges(from: [], to: replica.held.gaps)
            return Row.change(of: owner, .subscribed, changes, gaps, deleted: [], to: replica, in: &self)
        }
    }

    /// The user's rights in each room that is followed, when they are not the usual ones.
    package var standings: [SessionNotice] {
        let known = rooms.filter { $0.value.isStandingKnown && $0.value.standing != RoomStanding() }
        return known.sorted { $0.key < $1.key }.map { room, session in
            var standing = session.standing
            standing.mutedFor = max(0, standing.mutedFor - (now - session.standingSince))
            return .standing(room, standing)
        }
    }

    /// Returns the gaps between the held rows of a list.
    func gaps<Row: FollowedRow>(_: Row.Type, of owner: Row.Owner) -> [ListGap] {
        self[keyPath: Row.sessions][owner]?.replica?.held.gaps ?? []
    }

    private mutating func followed<Row: FollowedRow>(_: Row.Type, of owner: Row.Owner) {
        let isBack = self[keyPath: Row.sessions][owner]?.phase != .live
        self[keyPath: Row.sessions][owner]?.phase = .live
        self[keyPath: Row.sessions][owner]?.missteps = 0
        if let session = self[keyPath: Row.sessions][owner], session.limit > session.requestedLimit {
            subscribe(to: Row.self, of: owner)
        }
        if Row.list(of: owner) == .myMentions { requestMentions() }
        guard case .messages(let room) = Row.list(of: owner) else { return }
        requestPage(in: room)
        guard isBack else { return }
        sendReadMark(in: room)
        if let session = rooms[room], !session.isStandingKnown, session.standing != RoomStanding() {
            apply(RoomStanding(), in: room)
        }
    }

    mutating func apply(_ standing: RoomStanding, in room: RoomName) {
        rooms[room]?.standing = standing
        rooms[room]?.standingSince = now
        rooms[room]?.isStandingKnown = true
        notify(.standing(room, standing))
    }

    /// Subscribes again after an error: at once the first time, then ever later, so that a faulty server is not
    /// flooded.
    mutating func stumbled<Row: FollowedRow>(_ error: ReplicaError, _: Row.Type, of owner: Row.Owner) {
        notify(.resynchronizing(Row.list(of: owner), error))
        guard var session = self[keyPath: Row.sessions][owner] else { return }
        if error.remedy == .startAfresh { session.isStale = true }
        session.missteps += 1
        session.forgetPage(until: now)
        let pause = min(30_000, 250 << min(session.missteps - 1, 10))
        session.phase = .postponed(until: now + Milliseconds(pause))
        self[keyPath: Row.sessions][owner] = session
        if session.missteps == 1 { subscribe(to: Row.self, of: owner) }
    }

    // MARK: - The user's state, for others

    /// Sends a typing mark, if the room is live and nothing has to wait. It is never sent later.
    mutating func typing(_ direction: ClientFrame.Switch, in room: RoomName) {
        if rooms[room]?.phase == .live, hasRoom { _ = request(.typing(room, direction), .passing) }
    }

    mutating func read(upTo revision: Revision, in room: RoomName) {
        guard let read = rooms[room]?.read, revision > read else { return }
        rooms[room]?.read = revision
        if rooms[room]?.phase == .live { sendReadMark(in: room) }
    }

    /// It is never sent later, because it would count what has come since.
    mutating func readAll(_ room: RoomName) {
        unread[room] = nil
        if welcome != nil { _ = request(.read(room, nil), .readAll(room)) }
    }

    /// Sends one request for many rooms. It is never sent later, either.
    mutating func readAll(_ rooms: [RoomName]) {
        for room in rooms { unread[room] = nil }
        guard welcome != nil else { return }
        for start in stride(from: 0, to: rooms.count, by: ClientFrame.mostRoomsRead) {
            let part = Array(rooms[start..<min(start + ClientFrame.mostRoomsRead, rooms.count)])
            _ = request(.readRooms(part), .readRooms(part))
        }
    }

    /// Handles the answer to ``readAll(_:)-([RoomName])``: some rooms may be refused, and be read later.
    mutating func wereRead(_ rooms: [ServerFrame.RoomRead]) {
        for read in rooms {
            if case .failure(let error) = read.result { readAllFailed(error, in: read.room) }
        }
    }

    mutating func readAllFailed(_ error: WireError, in room: RoomName) {
        if error.isPassing { unread[room] = now + error.pause } else { notify(.readRefused(room, error)) }
    }

    mutating func markFailed(_ error: WireError, in room: RoomName) {
        if error.isPassing { rooms[room]?.readDue = now + error.pause }
    }

    /// Repeats the read mark: a server that was restarted does not remember it.
    private mutating func sendReadMark(in room: RoomName) {
        rooms[room]?.readDue = nil
        guard let session = rooms[room], let held = session.replica, session.read > 0 else { return }
        _ = request(.read(room, min(session.read, held.revision)), .read(room))
    }
}
