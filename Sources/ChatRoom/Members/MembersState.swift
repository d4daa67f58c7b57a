package import ChatWire

/// The people of one room, as a pure state: connections come and go, memberships change, and effects come out.
///
/// It knows no socket, queue, clock or store. It learns the time with each input, and asks to be woken.
///
/// Changes wait for the tick. The tick compares the current state with what was last told, and tells the net change
/// once. Of the people who are there, the list shows those who came first; of those who belong to the room and are not there, the first
/// by name. Further people are counted, and enter the list when there is room.
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
        /// The person's membership or invitation; `nil` for a guest, and before it was read.
        var membership: RoomMember?
        /// True for a person who belongs to the room and has a row also while they are away.
        var isListed = false
        /// True when the other servers lack a read mark of the person, who is not there.
        var hasReadAway = false
        /// The section as of the last revision; `nil` for a person whom no revision has told of yet.
        var section: Member.Section?
        /// True for a person who is in ``MembersState/gone``.
        var isLingering = false
        /// The number of the last coming or leaving.
        var turn: UInt64 = 0
        /// True when the next revision must look at this person.
        var isTouched = false
        /// True when the person has been gone for longer than the room remembers.
        var isForgotten = false
    }

    var people: [UserName: Person] = [:]
    /// The connections that make a person online.
    private var present: [Reader: UserName] = [:]
    package var list: FollowedList<Member>
    private var lastTurn: UInt64 = 0
    private(set) var counts: [Member.Section: Int] = [.online: 0, .offline: 0, .invited: 0]
    var roll = RoomRoll()

    /// The people who are online and have no row, and below, the people who have left and are not listed.
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
        self.room = room
        self.policy = policy
        list = FollowedList(
            VersionedList(counts: [.online: 0, .offline: 0, .invited: 0]), of: epoch, tick: policy.tick)
    }

    /// Remembers the people of a room that was at rest. The list begins anew.
    package init(room: RoomName, epoch: Epoch, remembering memory: MembersMemory, policy: MembersPolicy) {
        self.init(room: room, epoch: epoch, policy: policy)
        for person in memory.people {
            lastTurn += 1
            people[person.name] = Person(
                light: Member.Light(read: person.read), section: .offline, isLingering: true, turn: lastTurn)
            gone.append(person.name, lastTurn)
            forgetting.set(person.name, at: person.forgotten)
            show(person.name)
        }
        counts[.offline] = memory.people.count
        _ = list.commit(at: .zero, counts: counts)
        list.pause(until: memory.soonest)
        wake = forgetting.earliest
    }

    /// The memory of the room: the people who left lately; `nil` unless the room rests and no person is online elsewhere.
    package var memory: MembersMemory? {
        guard isResting, online == 0 else { return nil }
        let remembered = gone.names.compactMap { name -> MembersMemory.Person? in
            guard let person = people[name], let forgotten = forgetting[name] else { return nil }
            return MembersMemory.Person(name: name, read: person.light.read, forgotten: forgotten)
        }
        return remembered.isEmpty ? nil : MembersMemory(people: remembered, soonest: list.soonest)
    }

    /// The number of people who are online.
    package var online: Int { counts[.online] ?? 0 }

    /// True when no person is here and the list has no readers.
    package var isResting: Bool {
        present.isEmpty && !isFollowed && leaving.isEmpty && touched.isEmpty && roll.query == nil
    }

    /// About the bytes of the people.
    package var bytes: Int { people.count * Self.personBytes }

    private static let personBytes = 512

    /// - Parameter now: the time since a moment that is the same for all inputs; it never decreases.
    package mutating func handle(_ input: Input, at now: Duration) -> [Effect] {
        if let wake, wake <= now { endWhatIsDue(at: now) }
        var effects = apply(input, at: now)
        if hasChanges, list.soonest <= now || isAwaited { effects += commit(at: now) }
        if hasChanges { expect(list.soonest) }
        effects += loadMemberships(at: now)
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
        case .membershipsRequested: roll.isRequested = !hasMemberships
        case .membershipsChanged(let names): invalidateMemberships(of: names)
        case .membershipsInvalidated: invalidateMemberships()
        case .loaded(let reading, let number): apply(reading, toQuery: number, at: now)
        case .loadingFailed(let error, let number):
            return failLoading(error, number, at: now)
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
        if people[name] == nil { lookUp(name) }
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

    /// Notes how far a person has read who is here, or belongs to the room.
    private mutating func read(_ name: UserName, _ revision: Revision) {
        guard let person = people[name], !person.readers.isEmpty || person.membership != nil,
            person.light.read < revision
        else { return }
        let isAway = !isHere(name)
        people[name]?.light.read = revision
        people[name]?.hasReadAway = isAway
        touch(name)
    }

    /// Forgets what people have read, those who have left, and all memberships.
    private mutating func beginAnew() {
        invalidateMemberships()
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

    mutating func expect(_ time: Duration) {
        wake = min(wake ?? time, time)
    }
}

// MARK: - The tick

extension MembersState {
    /// True when readers wait for the memberships, which were read: no reader follows the list yet, so the tick is not theirs.
    private var isAwaited: Bool { !isFollowed && hasMemberships }

    /// True when the next revision is due on a tick.
    private var hasChanges: Bool { !touched.isEmpty || roll.hasNewCounts }

    private mutating func commit(at now: Duration) -> [Effect] {
        let names = touched
        (touched, roll.hasNewCounts) = ([], false)
        // Share before forgetting the people who came and left within the tick: other servers may have asked meanwhile.
        let news = names.compactMap { share($0) }
        for name in names { updateSection(name, at: now) }
        let shared: [Effect] = news.isEmpty ? [] : [.share(news)]
        while gone.count > policy.remembered, let name = gone.popFirst() { forget(name) }
        while online - unlisted.count < policy.shown, let name = unlisted.popFirst() { show(name) }
        for name in names { show(name) }
        guard let diff = list.commit(at: now, counts: countsWithUnlisted) else { return shared }
        return isFollowed ? shared + [.publish(diff)] : shared
    }

    /// Updates the section of a person to the current state.
    private mutating func updateSection(_ name: UserName, at now: Duration) {
        guard let person = people[name] else { return }
        people[name]?.isTouched = false
        guard let place = place(of: person, isHere: isHere(name) || person.isElsewhere) else { return forget(name) }
        if place.lingers { remember(name, from: now) } else { forgetting.cancel(name) }
        guard (person.section, person.isLingering) != (place.section, place.lingers) else { return }
        if person.section == .online { unlisted.remove(person.turn) }
        if person.isLingering { gone.remove(person.turn) }
        if person.section == .online, place.section != .online { silence(name) }
        move(name, to: place.section, lingering: place.lingers)
    }

    /// Returns the place of a person in the list; `nil` for one who is to be forgotten.
    private func place(of person: Person, isHere: Bool) -> (section: Member.Section, lingers: Bool)? {
        let section: Member.Section = person.membership?.kind == .invited ? .invited : .offline
        if isHere { return (.online, false) }
        if person.isListed { return (section, false) }
        guard !person.isForgotten, person.section == .online || person.isLingering else { return nil }
        return (section, true)
    }

    private mutating func silence(_ name: UserName) {
        typing.cancel(name)
        people[name]?.typesHere = false
        showTyping(name)
    }

    private mutating func move(_ name: UserName, to section: Member.Section, lingering: Bool) {
        if let old = people[name]?.section { counts[old, default: 0] -= 1 }
        counts[section, default: 0] += 1
        lastTurn += 1
        people[name]?.section = section
        people[name]?.isLingering = lingering
        people[name]?.turn = lastTurn
        if section == .online { unlisted.append(name, lastTurn) } else if lingering { gone.append(name, lastTurn) }
    }

    private mutating func remember(_ name: UserName, from now: Duration) {
        forgetting.set(name, at: now + policy.memory)
        expect(now + policy.memory)
    }

    private mutating func forget(_ name: UserName) {
        guard let person = people.removeValue(forKey: name) else { return }
        forgetting.cancel(name)
        typing.cancel(name)
        writing.remove(name)
        if person.section == .online { unlisted.remove(person.turn) }
        if person.isLingering { gone.remove(person.turn) }
        if let section = person.section { counts[section, default: 0] -= 1 }
        if let membership = person.membership { roll.known[membership.kind] -= 1 }
        list.rows.hide(name)
    }

    /// Updates a person's row in the list, or removes it.
    private mutating func show(_ name: UserName) {
        guard let person = people[name], let section = person.section else { return }
        if section == .online, let first = unlisted.first, person.turn >= first { return list.rows.hide(name) }
        var row = Member(id: name, section: section, sort: Member.sort(of: name), rev: 0, light: person.light)
        row.sort = list.rows[name]?.sort ?? list.rows.freeSort(for: row)
        list.rows.show(row)
    }
}

extension MembersState {
    /// Returns the row of a person who belongs to the room, which need not be in the list.
    package func row(of member: RoomMember) -> Member {
        if let row = list.rows[member.user] { return row }
        let person = people[member.user]
        var light = Member.Light(member)
        light.isTyping = person?.light.isTyping ?? false
        light.read = max(light.read, person?.light.read ?? 0)
        let section: Member.Section =
            person?.section == .online ? .online : member.kind == .invited ? .invited : .offline
        return Member(id: member.user, section: section, sort: Member.sort(of: member.user), rev: 0, light: light)
    }
}

extension Member.Light {
    /// The facts of a person who is not there.
    init(_ member: RoomMember) {
        self.init(
            read: member.read, since: member.kind == .member ? member.time : nil, role: member.role,
            inviter: member.kind == .invited ? member.inviter : nil)
    }
}

extension Member {
    /// Returns the sort key that follows from the first six bytes of a name; letters of both cases have the same.
    static func sort(of name: UserName) -> UInt64 {
        let bytes = Array(name.description.utf8.prefix(6))
        return (0..<6).reduce(0) { key, index in
            let byte = index < bytes.count ? bytes[index] : 0
            let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            return key << 8 | UInt64(isCapital ? byte + 32 : byte)
        } << 4
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
