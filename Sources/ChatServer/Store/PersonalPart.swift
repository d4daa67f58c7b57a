import ChatRoom
import ChatWire
import RoomStore
import WebSocketTransport

/// The writers and senders of one part of the store.
struct PersonalPart: Sendable {
    let drafts: PersonalWriter<DraftChange>
    let later: PersonalWriter<LaterChange>
    let sender: LaterSender

    /// Makes one for each part of a store.
    static func forAllParts(
        of store: any RoomStore, _ errors: StoreErrors, _ quotas: Quotas, _ configuration: ChatServerConfiguration,
        notify: @escaping @Sendable (Set<UserName>) -> Void
    ) -> [PersonalPart] {
        store.divisions.map { PersonalPart($0, errors: errors, quotas: quotas, configuration, notify: notify) }
    }

    /// - Parameter notify: called with the people of whom something was written.
    init(
        _ store: any RoomStore, errors: StoreErrors, quotas: Quotas, _ configuration: ChatServerConfiguration,
        notify: @escaping @Sendable (Set<UserName>) -> Void
    ) {
        let limits = configuration.limits
        let sender = LaterSender(store, errors: errors, pace: configuration.laterPace, notify: notify)
        self.sender = sender
        drafts = PersonalWriter(errors: errors, quotas: quotas, notify: notify) { (changes) throws(RoomStoreError) in
            try store.write(changes, keeping: limits.drafts)
            return changes.map { _ in nil }
        }
        later = PersonalWriter(errors: errors, quotas: quotas, notify: notify) { (changes) throws(RoomStoreError) in
            let outcomes = try store.write(changes, most: limits.later)
            if let due = outcomes.compactMap({ try? $0.get().due }).min() { sender.expect(due) }
            return zip(changes, outcomes).map { $1.refusal(of: $0.id, most: limits.later) }
        }
    }
}

extension PersonalWriter<BlockChange> {
    /// - Parameters:
    ///   - store: the whole one, because each part has the blocks of all people.
    ///   - notify: called with the people of whom something was written.
    convenience init(
        _ store: any RoomStore, _ errors: StoreErrors, _ quotas: Quotas, _ configuration: ChatServerConfiguration,
        notify: @escaping @Sendable (Set<UserName>) -> Void
    ) {
        let most = configuration.limits.blocked
        self.init(errors: errors, quotas: quotas, notify: notify) { (changes) throws(RoomStoreError) in
            try store.write(changes, most: most).map { $0 ? nil : .tooManyBlocked(most) }
        }
    }
}

extension WireError {
    fileprivate static func tooManyBlocked(_ most: Int) -> WireError {
        WireError(.blocked, "you have blocked \(most) users, which is the most: unblock one")
    }
}

extension Result<StoredLater, LaterRefusal> {
    fileprivate func refusal(of id: UniqueID, most: Int) -> WireError? {
        switch self {
        case .success: nil
        case .failure(.notWaiting):
            WireError(
                .notWaiting, "id: nothing of yours with the id \(id) waits: it was sent or cancelled", field: "id")
        case .failure(.tooMany):
            WireError(
                .later,
                "you may have \(most) messages and reminders for later, of \(most * LaterItems.bytesOfItem / 1_024) kB together: cancel one"
            )
        }
    }
}

extension ChatServer {
    func keep(_ change: DraftChange, ref: UInt64, of connection: ConnectionID) {
        part(of: change.user).drafts.enqueue(change) { [self] error in
            send(error.map { .error(ref: ref, $0) } ?? .ok(ref: ref, nil), asAnswerTo: connection)
        }
    }

    func keep(_ change: LaterChange, ref: UInt64, of connection: ConnectionID) {
        part(of: change.user).later.enqueue(change) { [self] error in
            send(error.map { .error(ref: ref, $0) } ?? .ok(ref: ref, nil), asAnswerTo: connection)
        }
    }

    func keep(_ change: BlockChange, ref: UInt64, of connection: ConnectionID) {
        blocks.enqueue(change) { [self] error in
            send(error.map { .error(ref: ref, $0) } ?? .ok(ref: ref, nil), asAnswerTo: connection)
        }
    }

    private func part(of user: UserName) -> PersonalPart {
        personal[personal.count == 1 ? 0 : store.part(of: user)]
    }

    /// Commits a message that was stored for later, in the same way as one that its author sends. Waits for the store.
    func send(_ item: StoredLater, of author: UserName, then answer: @escaping @Sendable (WireError?) -> Void) {
        guard case .send(var content) = item.light.plan.action else { preconditionFailure("\(item) is a reminder") }
        let room = item.light.plan.room
        content.isAway = content.isAway || hasUnread(author, in: room)
        let operation = Operation(
            command: item.id, author: author, role: item.role, time: .now, action: .send(content))
        let reader = gateway.services.reader { frame in
            if case .error(_, let error) = frame { answer(error) } else { answer(nil) }
        }
        shard(of: room).enqueue([.request(.operate(ref: 0, operation), reader, room)])
    }

    /// True also when the store does not answer: what is unread stays so.
    private func hasUnread(_ user: UserName, in room: RoomName) -> Bool {
        do throws(RoomStoreError) {
            return try store.memberships(of: [user], in: room)[user].map { $0.unread > 0 } ?? false
        } catch {
            return true
        }
    }
}
