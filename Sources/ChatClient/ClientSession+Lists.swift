import ChatWire
import Replicas

extension ClientSession {
    mutating func open(_ list: ListName, limit: Int) {
        var session = ListSession(limit: limit, order: listsOpened)
        if let known = lists[list] {
            guard known.phase == .refused else { return }
            // The rows are on a screen: the answer must contain the changes since.
            (session.replica, session.isStale) = (known.replica, known.isStale)
        }
        listsOpened += 1
        lists[list] = session
        subscribe(to: list)
    }

    /// Opens a list, or asks for more of its rows.
    mutating func open(_ list: ListName, orMoreOf limit: Int) {
        guard let known = lists[list], known.phase != .refused else { return open(list, limit: limit) }
        guard limit > known.limit else { return }
        lists[list]?.limit = limit
        if known.phase == .live { subscribe(to: list) }
    }

    mutating func close(_ room: RoomName) {
        close(.members(room))
        close(.pins(room))
        close(.messages(room))
    }

    mutating func close(_ list: ListName) {
        switch lists.removeValue(forKey: list)?.phase {
        case .requested, .live: _ = request(.unsubscribe(list), .unsubscribe)
        case .away, .postponed, .refused, nil: break
        }
    }

    /// Subscribes if there is a connection. It resumes from the replica if that can be trusted.
    mutating func subscribe(to list: ListName) {
        guard let welcome, let session = lists[list], session.phase != .refused else { return }
        let resume = session.isStale ? nil : session.replica?.resume(at: session.at)
        // A diff leaves the held rows where they are. A snapshot takes their place.
        let wanted = max(session.limit, resume == nil ? session.replica?.size ?? 0 : 0)
        let most =
            list == .myRooms || list == .myThreads
            ? max(welcome.limits.memberships, ListDigest.window) : welcome.limits.rows
        let limit = min(max(wanted, ListDigest.window), most)
        let ref = request(.subscribe(list, limit: limit, resume: resume), .subscribe(list))
        lists[list]?.phase = .requested(ref)
        lists[list]?.requestedLimit = session.limit
        lists[list]?.isStandingKnown = false
        lists[list]?.forgetPage(until: now)
    }

    /// Subscribes to all lists again.
    mutating func subscribeToAll() {
        sendUnstored()
        for list in inOrder {
            if list == .myPeople { requestPeople() }  // the snapshot then has them
            subscribe(to: list)
        }
    }

    /// The lists in the order in which they were opened.
    private var inOrder: [ListName] { lists.sorted { $0.value.order < $1.value.order }.map(\.key) }

    mutating func subscribeFailed(_ list: ListName, _ error: WireError) {
        if error.isPassing || error.code == .internal {
            lists[list]?.phase = .postponed(until: now + error.pause)
        } else {
            lists[list]?.phase = .refused
            notify(.refused(list, error))
        }
    }

    /// Handles the end of a subscription by the server. It is not renewed without the user's decision.
    mutating func ended(_ list: ListName, _ ending: ServerFrame.Ending) {
        guard lists[list] != nil else { return }
        lists[list]?.phase = .refused
        lists[list]?.paging = nil
        lists[list]?.next = nil
        notify(.ended(list, ending))
    }

    mutating func tickLists() {
        for room in unread.filter({ $0.value <= now }).keys.sorted() { readAll(room) }
        if wanted.due.map({ $0 <= now }) == true { requestPeople() }
        if unstoredDrafts.due.map({ $0 <= now }) == true { sendDrafts() }
        if unstoredLater.due.map({ $0 <= now }) == true { sendLater() }
        if unstoredBlocks.due.map({ $0 <= now }) == true { sendBlocks() }
        for list in inOrder where lists[list]?.deadline.map({ $0 <= now }) ?? false {
            if lists[list]?.phase == .live { catchUp(list) } else { subscribe(to: list) }
        }
    }

    /// Sends the requests and reports that had to wait.
    private mutating func catchUp(_ list: ListName) {
        requestPage(of: list)
        if let room = list.room, let due = lists[list]?.readDue, due <= now { sendReadMark(in: room) }
    }

    // MARK: - The replicas

    mutating func apply(_ snapshot: any SnapshotContent, of list: ListName) {
        let held = lists[list]?.replica
        if let held, lists[list]?.phase == .live, held.epoch == snapshot.epoch, held.revision > snapshot.revision {
            return  // news that was overtaken
        }
        guard let row = list.row as? any FollowedRow.Type else { return }
        do throws(ReplicaError) {
            let change = try row.replacing(held, by: snapshot)
            if let held, held.epoch != snapshot.epoch { lists[list]?.forgetRead() }
            lists[list]?.replica = change.rows
            lists[list]?.isStale = false
            // A page that is awaited is one of the old list's.
            lists[list]?.forgetPage(until: now)
            changed(list, .snapshot(snapshot.why), change)
            followed(list)
        } catch {
            stumbled(error, list)
        }
    }

    mutating func apply(_ diff: any ListContent, _ epoch: Epoch, of list: ListName, cause: RoomChange.Cause) {
        let held = lists[list]?.replica?.revision
        do throws(ReplicaError) {
            // Go through the dictionary: with a copy of the replica, applying would copy all its rows.
            guard let change = try lists[list]?.replica?.apply(diff: diff, epoch: epoch) else {
                return misunderstood("a diff of a list that is not loaded")
            }
            // Report a change without a changed row too: an observer may wait for its revision.
            if cause != .live || lists[list]?.replica?.revision != held { changed(list, cause, change) }
            followed(list)
        } catch {
            stumbled(error, list)
        }
    }

    mutating func changed(_ list: ListName, _ cause: RoomChange.Cause, _ change: any SomeRowsChange) {
        if let change = change.change(of: list, cause, in: &self) { effects.append(.changed(change)) }
    }

    /// Returns the present state of each list with such changes, as the change that makes it of nothing.
    mutating func present<Change: ListChange>(_: Change.Type) -> [Change] {
        inOrder.compactMap { list in
            lists[list]?.replica?.insertion.change(of: list, .subscribed, in: &self) as? Change
        }
    }

    /// The user's rights in each room that is followed, when they are not the usual ones.
    package var standings: [SessionNotice] {
        inOrder.compactMap { list in
            guard let room = list.room, let session = lists[list], session.isStandingKnown,
                session.standing != RoomStanding()
            else { return nil }
            var standing = session.standing
            standing.mutedFor = max(0, standing.mutedFor - (now - session.standingSince))
            return .standing(room, standing)
        }
    }

    private mutating func followed(_ list: ListName) {
        let isBack = lists[list]?.phase != .live
        lists[list]?.phase = .live
        lists[list]?.missteps = 0
        if let session = lists[list], session.limit > session.requestedLimit { subscribe(to: list) }
        requestPage(of: list)
        guard isBack, case .messages(let room) = list else { return }
        sendReadMark(in: room)
        if let session = lists[list], !session.isStandingKnown, session.standing != RoomStanding() {
            apply(RoomStanding(), in: room)
        }
    }

    mutating func apply(_ standing: RoomStanding, in room: RoomName) {
        lists[.messages(room)]?.standing = standing
        lists[.messages(room)]?.standingSince = now
        lists[.messages(room)]?.isStandingKnown = true
        notify(.standing(room, standing))
    }

    /// Subscribes again after an error: at once the first time, then ever later, so that a faulty server is not
    /// flooded.
    mutating func stumbled(_ error: ReplicaError, _ list: ListName) {
        notify(.resynchronizing(list, error))
        guard var session = lists[list] else { return }
        if error.remedy == .startAfresh { session.isStale = true }
        session.missteps += 1
        session.forgetPage(until: now)
        let pause = min(30_000, 250 << min(session.missteps - 1, 10))
        session.phase = .postponed(until: now + Milliseconds(pause))
        lists[list] = session
        if session.missteps == 1 { subscribe(to: list) }
    }

    // MARK: - The user's state, for others

    /// Sends a typing mark, if the room is live and nothing has to wait. It is never sent later.
    mutating func typing(_ direction: ClientFrame.Switch, in room: RoomName) {
        if lists[.messages(room)]?.phase == .live, hasRoom { _ = request(.typing(room, direction), .passing) }
    }

    mutating func read(upTo revision: Revision, in room: RoomName) {
        guard let read = lists[.messages(room)]?.read, revision > read else { return }
        lists[.messages(room)]?.read = revision
        if lists[.messages(room)]?.phase == .live { sendReadMark(in: room) }
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
        if error.isPassing { lists[.messages(room)]?.readDue = now + error.pause }
    }

    /// Repeats the read mark: a server that was restarted does not remember it.
    private mutating func sendReadMark(in room: RoomName) {
        lists[.messages(room)]?.readDue = nil
        guard let session = lists[.messages(room)], let held = session.replica, session.read > 0 else { return }
        _ = request(.read(room, min(session.read, held.revision)), .read(room))
    }
}
