package import ChatWire

/// The people in one room, as a pure state: connections come and go, and effects come out.
///
/// It knows no socket, queue, clock or store. It learns the time with each input, and asks to be woken.
///
/// Changes wait for the tick. The tick compares the current state with what was last told, and tells the net change
/// once. The list shows the people who came first. Further people are counted, and enter the list when there is room.
package struct MembersState: ListState, Sendable {
    /// A person whom the room knows.
    struct Person {
        var readers: Set<Reader> = []
        /// True when a connection of this server reports that the person is writing.
        var typesHere = false
        /// The state of the person on other servers.
        var elsewhere: [ServerID: Presence] = [:]
        /// The servers whose later news of the person may have been missed.
        var unconfirmed: Set<ServerID> = []
        /// The presence last shared with the other servers.
        var shared: Presence?
        var light = Member.Light()
        /// The section as of the last revision; `nil` for a person whom no revision has told of yet.
        var section: Member.Section?
        var sort: UInt64 = 0
        /// True when the next revision must look at this person.
        var isTouched = false
        /// True when the person has been gone for longer than the room remembers.
        var isForgotten = false
    }

    var people: [UserName: Person] = [:]
    /// The connections that make a person online.
    private var present: [Reader: UserName] = [:]
    package var list: FollowedList<Member>
    private var lastSort: UInt64 = 0
    private var counts: [Member.Section: Int] = [.online: 0, .offline: 0]

    /// The people who are online and have no row, and below, the people who have left.
    private var unlisted = PeopleQueue()
    private var gone = PeopleQueue()

    /// The people whose last connection is gone, and the time at which their departure shows.
    private(set) var leaving = Deadlines()
    private var typing = Deadlines()
    /// The people who are writing, here or on another server.
    private(set) var writing: Set<UserName> = []
    var forgetting = Deadlines()
    private var touched: [UserName] = []
    /// The earliest deadline, or a time before it; `nil` if there is none.
    private var wake: Duration?
    /// The wake that was last asked for.
    private var promised: Duration?

    package let room: RoomName
    let policy: MembersPolicy

    package init(room: RoomName, epoch: Epoch, policy: MembersPolicy) {
        self.init(
            room: room, FollowedList(Self.rows(), of: epoch, tick: policy.tick), policy: policy)
    }

    private init(room: RoomName, _ list: FollowedList<Member>, policy: MembersPolicy) {
        self.room = room
        self.list = list
        self.policy = policy
    }

    private static func rows(
        _ rows: [Member] = [], at revision: Revision = 0, offline: Int = 0
    ) -> VersionedList<Member> {
        VersionedList(rows, at: revision, counts: [.online: 0, .offline: offline])
    }

    /// Resumes from a memory. The list continues, but earlier changes of it are unknown.
    package init(room: RoomName, remembering memory: MembersMemory, policy: MembersPolicy) {
        let rows = Self.rows(memory.rows, at: memory.revision, offline: memory.people.count)
        self.init(
            room: room, FollowedList(rows, of: memory.epoch, tick: policy.tick, notBefore: memory.soonest),
            policy: policy)
        for person in memory.people {
            people[person.name] = Person(
                light: Member.Light(read: person.read), section: .offline, sort: person.sort)
            gone.append(person.name, person.sort)
            forgetting.set(person.name, at: person.forgotten)
        }
        counts[.offline] = memory.people.count
        lastSort = memory.lastSort
        wake = forgetting.earliest
    }

    /// The memory of the room; `nil` unless the room rests and no member is online elsewhere.
    package var memory: MembersMemory? {
        guard isResting, online == 0 else { return nil }
        let people = list.rows.rows.map { row in
            guard let forgotten = forgetting[row.id] else { preconditionFailure("\(row.id) rests for ever in \(room)") }
            return MembersMemory.Person(
                name: row.id, sort: row.sort, rev: row.rev, read: row.light.read, forgotten: forgotten)
        }
        return MembersMemory(
            people: people, revision: list.rows.revision, lastSort: lastSort, soonest: list.soonest, epoch: epoch)
    }

    /// The number of people who are online.
    package var online: Int { counts[.online] ?? 0 }

    /// True when no person is here and the list has no readers.
    package var isResting: Bool { present.isEmpty && !isFollowed && leaving.isEmpty && touched.isEmpty }

    /// True when there is also no person to remember.
    package var isEmpty: Bool { isResting && people.isEmpty }

    /// - Parameter now: the time since a moment that is the same for all inputs; it never decreases.
    package mutating func handle(_ input: Input, at now: Duration) -> [Effect] {
        if let wake, wake <= now { endWhatIsDue(at: now) }
        var effects = apply(input, at: now)
        if !touched.isEmpty, list.soonest <= now { effects += commit(at: now) }
        if !touched.isEmpty { expect(list.soonest) }
        if let wake, wake != promised { effects.append(.wake(at: wake)) }
        promised = wake
        return effects
    }

    private mutating func apply(_ input: Input, at now: Duration) -> [Effect] {
        switch input {
        case .came(let reader, let name): enter(reader, name)
        case .left(let reader): leave(reader, grace: policy.grace, at: now)
        case .died(let reader): leave(reader, grace: .zero, at: now)
        case .said(let name): endTyping(name)
        case .typing(let reader, let ref, let direction): return type(reader, ref, direction, at: now)
        case .read(let reader, let ref, let revision, let head): return read(reader, ref, revision, of: head)
        case .readAll(let name, let revision): read(name, revision)
        case .subscribe(let reader, let ref, let resume):
            return [.deliver(reader, ref: ref, subscribe(reader, resume))]
        case .unsubscribe(let reader): unsubscribe(reader)
        case .behind(let reader, let revision):
            return fellBehind(reader, at: revision).map { [.deliver(reader, ref: nil, $0)] } ?? []
        case .woken: promised = nil
        case .elsewhere(let server, let people): applyPresence(of: people, from: server)
        case .lost(let server): forget(server)
        case .presenceRequested: return shareAll()
        case .missed: invalidateAll()
        case .caughtUp: endDoubts()
        case .renewed: beginAnew()
        }
        return []
    }
}

// MARK: - Inputs

extension MembersState {
    private mutating func enter(_ reader: Reader, _ name: UserName) {
        guard present.updateValue(name, forKey: reader) == nil else { return }
        people[name, default: Person()].readers.insert(reader)
        people[name]?.isForgotten = false
        leaving.cancel(name)
        forgetting.cancel(name)
        if people[name]?.section != .online || policy.isShared { touch(name) }
    }

    private mutating func leave(_ reader: Reader, grace: Duration, at now: Duration) {
        guard let name = present.removeValue(forKey: reader) else { return }
        people[name]?.readers.remove(reader)
        guard people[name]?.readers.isEmpty == true else { return }
        if grace > .zero {
            leaving.set(name, at: now + grace)
            expect(now + grace)
        } else {
            touch(name)
        }
    }

    private mutating func type(
        _ reader: Reader, _ ref: UInt64, _ direction: ClientFrame.Switch, at now: Duration
    ) -> [Effect] {
        guard let name = present[reader] else { return [.answer(reader, .error(ref: ref, .notThere(room)))] }
        switch direction {
        case .on:
            typing.set(name, at: now + policy.typing)
            expect(now + policy.typing)
            if people[name]?.typesHere == false { touch(name) }
            people[name]?.typesHere = true
            showTyping(name)
        case .off:
            endTyping(name)
        }
        return [.answer(reader, .ok(ref: ref, nil))]
    }

    private mutating func endTyping(_ name: UserName) {
        typing.cancel(name)
        guard people[name]?.typesHere == true else { return }
        people[name]?.typesHere = false
        showTyping(name)
        touch(name)
    }

    /// Applies whether a person is writing here or elsewhere.
    mutating func showTyping(_ name: UserName) {
        let isTyping = people[name].map { $0.typesHere || $0.isTypingElsewhere } ?? false
        people[name]?.light.isTyping = isTyping
        if isTyping { writing.insert(name) } else { writing.remove(name) }
    }

    private mutating func read(
        _ reader: Reader, _ ref: UInt64, _ revision: Revision, of head: Revision
    ) -> [Effect] {
        guard let name = present[reader] else { return [.answer(reader, .error(ref: ref, .notThere(room)))] }
        guard revision <= head else { return [.answer(reader, .error(ref: ref, .notReached(revision, head)))] }
        read(name, revision)
        // Only the store knows whether it is news: the mark may have gone back.
        return [.answer(reader, .ok(ref: ref, nil)), .mark(name, revision)]
    }

    /// Notes how far a person who is here has read.
    private mutating func read(_ name: UserName, _ revision: Revision) {
        guard let person = people[name], !person.readers.isEmpty, person.light.read < revision else { return }
        people[name]?.light.read = revision
        touch(name)
    }

    /// Forgets what people have read, and those who have left.
    private mutating func beginAnew() {
        for (name, person) in people.sorted(by: { $0.key < $1.key }) {
            let isOnline = isHere(name) || person.isElsewhere
            people[name]?.light.read = 0
            people[name]?.isForgotten = !isOnline
            touch(name)
        }
    }

    private mutating func endWhatIsDue(at now: Duration) {
        for name in leaving.removeExpired(upTo: now) { touch(name) }
        for name in typing.removeExpired(upTo: now) { endTyping(name) }
        for name in forgetting.removeExpired(upTo: now) {
            people[name]?.isForgotten = true
            touch(name)
        }
        wake = [leaving.earliest, typing.earliest, forgetting.earliest].compactMap(\.self).min()
    }

    mutating func touch(_ name: UserName) {
        guard people[name]?.isTouched == false else { return }
        people[name]?.isTouched = true
        touched.append(name)
    }

    private mutating func expect(_ time: Duration) {
        wake = min(wake ?? time, time)
    }
}

// MARK: - The tick

extension MembersState {
    private mutating func commit(at now: Duration) -> [Effect] {
        let names = touched
        touched = []
        // Share before forgetting the people who came and left within the tick: other servers may have asked meanwhile.
        let news = names.compactMap { share($0) }
        for name in names { updateSection(name, at: now) }
        let shared: [Effect] = news.isEmpty ? [] : [.share(news)]
        while gone.count > policy.remembered, let name = gone.popFirst() { forget(name) }
        while online - unlisted.count < policy.shown, let name = unlisted.popFirst() { show(name) }
        for name in names { show(name) }
        guard let diff = list.commit(at: now, counts: counts) else { return shared }
        return isFollowed ? shared + [.publish(diff)] : shared
    }

    /// Updates the section of a person to the current state.
    private mutating func updateSection(_ name: UserName, at now: Duration) {
        guard let person = people[name] else { return }
        people[name]?.isTouched = false
        let isHere = isHere(name) || person.isElsewhere
        switch (person.section, isHere) {
        case (.online, true): break
        case (nil, true), (.offline, true):
            gone.remove(person.sort)
            unlisted.append(name, move(name, to: .online))
        case (.online, false):
            unlisted.remove(person.sort)
            gone.append(name, move(name, to: .offline))
            typing.cancel(name)
            people[name]?.typesHere = false
            showTyping(name)
            remember(name, from: now)
        case (.offline, false) where person.isForgotten:
            gone.remove(person.sort)
            forget(name)
        case (.offline, false):
            remember(name, from: now)  // came and went within a tick
        case (nil, false):
            typing.cancel(name)
            people[name] = nil
            showTyping(name)
        }
    }

    /// - Returns: the new sort key.
    private mutating func move(_ name: UserName, to section: Member.Section) -> UInt64 {
        if let old = people[name]?.section { counts[old, default: 0] -= 1 }
        counts[section, default: 0] += 1
        lastSort += 1
        people[name]?.section = section
        people[name]?.sort = lastSort
        return lastSort
    }

    private mutating func remember(_ name: UserName, from now: Duration) {
        forgetting.set(name, at: now + policy.memory)
        expect(now + policy.memory)
    }

    private mutating func forget(_ name: UserName) {
        forgetting.cancel(name)
        people[name] = nil
        counts[.offline, default: 0] -= 1
        list.rows.hide(name)
    }

    /// Updates a person's row in the list, or removes it.
    private mutating func show(_ name: UserName) {
        guard let person = people[name], let section = person.section else { return }
        if section == .online, let first = unlisted.first, person.sort >= first {
            list.rows.hide(name)
        } else {
            list.rows.show(Member(id: name, section: section, sort: person.sort, rev: 0, light: person.light))
        }
    }
}

extension WireError {
    fileprivate static func notThere(_ room: RoomName) -> WireError {
        WireError(.notSubscribed, "you are not in room \(room): subscribe to \(ListName.messages(room)) first")
    }

    fileprivate static func notReached(_ revision: Revision, _ head: Revision) -> WireError {
        WireError(
            .notReached, "revision: the room is only at \(head) yet: \(revision) must be at most that",
            field: "revision")
    }
}
