package import ChatWire

/// Who is in one room: connections come and go, and what is to be told of it comes out. It knows no socket, queue,
/// clock or store; it hears what time it is with each input, and asks to be woken.
///
/// Changes wait for the tick: then what is the case is held against what was told last, so that whatever happened in
/// between is told once, net. Those who stand in the list are the ones who came first; more are counted, and come in
/// when there is room.
package struct MembersState: Sendable {
    /// Somebody whom the room knows.
    struct Person {
        var readers: Set<Reader> = []
        /// Said so over a connection of this server.
        var typesHere = false
        /// What other servers say.
        var elsewhere: [ServerID: Presence] = [:]
        /// Those of them that may have said something else since, which was missed.
        var doubted: Set<ServerID> = []
        /// What the other servers were told last.
        var told: Presence?
        var light = Member.Light()
        /// As the last revision has it; `nil` for somebody of whom nothing was told yet.
        var section: Member.Section?
        var sort: UInt64 = 0
        /// The next revision is to look at this person.
        var isTouched = false
        /// Was gone for so long that nobody wants to know.
        var isForgotten = false
    }

    /// Somebody who reads the list.
    private struct Follower {
        let joined: Revision
        /// Where it was brought to last.
        let since: Revision
    }

    var people: [UserName: Person] = [:]
    /// The connections that make somebody be there.
    private var present: [Reader: UserName] = [:]
    private var followers: [Reader: Follower] = [:]
    private(set) var rows = MembersList()
    private var lastSort: UInt64 = 0
    private var counts: [Member.Section: Int] = [.online: 0, .offline: 0]

    /// People who are there and have no row, and people who left.
    private var unlisted = PeopleQueue()
    private var gone = PeopleQueue()

    /// The last connection is gone, and this is when that shows.
    private(set) var leaving = Deadlines()
    private var typing = Deadlines()
    var forgetting = Deadlines()
    private var touched: [UserName] = []
    /// When the next revision may be made.
    private var soonest = Duration.zero
    /// No deadline is earlier; `nil` if there is none.
    private var wake: Duration?
    /// The wake that was asked for.
    private var promised: Duration?

    package let list: ListName
    package let epoch: Epoch
    let policy: MembersPolicy

    package init(room: RoomName, epoch: Epoch, policy: MembersPolicy) {
        list = .members(room)
        self.epoch = epoch
        self.policy = policy
    }

    /// Goes on from what was remembered: in the same list, of which no change before this is known.
    package init(room: RoomName, remembering memory: MembersMemory, policy: MembersPolicy) {
        self.init(room: room, epoch: memory.epoch, policy: policy)
        rows = MembersList(memory.rows, at: memory.revision)
        for person in memory.people {
            people[person.name] = Person(
                light: Member.Light(read: person.read), section: .offline, sort: person.sort)
            gone.append(person.name, person.sort)
            forgetting.set(person.name, at: person.forgotten)
        }
        counts[.offline] = memory.people.count
        lastSort = memory.lastSort
        soonest = memory.soonest
        wake = forgetting.earliest
    }

    /// What it comes down to; `nil` unless it rests, and while there are people elsewhere, who will be told of anew.
    package var memory: MembersMemory? {
        guard isResting, online == 0 else { return nil }
        let people = rows.rows.map { row in
            guard let forgotten = forgetting[row.id] else { preconditionFailure("\(row.id) rests for ever in \(list)") }
            return MembersMemory.Person(
                name: row.id, sort: row.sort, rev: row.rev, read: row.light.read, forgotten: forgotten)
        }
        return MembersMemory(
            people: people, revision: rows.revision, lastSort: lastSort, soonest: soonest, epoch: epoch)
    }

    /// How many people are there.
    package var online: Int { counts[.online] ?? 0 }

    /// Whether nobody is here and nobody reads the list.
    package var isResting: Bool { present.isEmpty && followers.isEmpty && leaving.isEmpty && touched.isEmpty }

    /// Whether there is nothing to remember either.
    package var isEmpty: Bool { isResting && people.isEmpty }

    /// - Parameter now: the time since some moment, the same for all inputs; never less than before.
    package mutating func receive(_ input: Input, at now: Duration) -> [Effect] {
        if let wake, wake <= now { endWhatIsDue(at: now) }
        var effects = take(input, at: now)
        if !touched.isEmpty, soonest <= now { effects += commit(at: now) }
        if !touched.isEmpty { expect(soonest) }
        if let wake, wake != promised { effects.append(.wake(at: wake)) }
        promised = wake
        return effects
    }

    private mutating func take(_ input: Input, at now: Duration) -> [Effect] {
        switch input {
        case .came(let reader, let name): come(reader, name)
        case .left(let reader): leave(reader, grace: policy.grace, at: now)
        case .died(let reader): leave(reader, grace: .zero, at: now)
        case .said(let name): endTyping(name)
        case .typing(let reader, let ref, let direction): return type(reader, ref, direction, at: now)
        case .read(let reader, let ref, let revision, let head): return read(reader, ref, revision, of: head)
        case .subscribe(let reader, let ref, let resume): return deliver(to: reader, ref: ref, resume)
        case .unsubscribe(let reader): followers[reader] = nil
        case .behind(let reader, let revision):
            // One that was further than that when it was last brought forward fell off before.
            guard let follower = followers[reader], revision >= follower.since else { return [] }
            return deliver(to: reader, ref: nil, Resume(epoch: epoch, revision: revision, joined: follower.joined))
        case .woken: promised = nil
        case .elsewhere(let server, let people): hear(of: people, from: server)
        case .lost(let server): forget(server)
        case .asked: return shareAll()
        case .missed: doubtAll()
        case .caughtUp: endDoubts()
        }
        return []
    }

    private mutating func deliver(to reader: Reader, ref: UInt64?, _ resume: Resume?) -> [Effect] {
        let window = max(ListDigest.window, rows.rows.count)
        guard let delivery = ListDelivery(to: resume, limit: window, of: rows, epoch, beyond: .gone) else {
            preconditionFailure("revision \(rows.revision) of \(list) is not all here")
        }
        followers[reader] = Follower(joined: delivery.joined, since: delivery.revision)
        return [.deliver(reader, ref: ref, delivery)]
    }
}

// MARK: - What people do

extension MembersState {
    private mutating func come(_ reader: Reader, _ name: UserName) {
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
        guard let name = present[reader] else { return [.answer(reader, .error(ref: ref, .notThere(list.room)))] }
        switch direction {
        case .on:
            typing.set(name, at: now + policy.typing)
            expect(now + policy.typing)
            if people[name]?.typesHere == false { touch(name) }
            people[name]?.typesHere = true
            people[name]?.light.isTyping = true
        case .off:
            endTyping(name)
        }
        return [.answer(reader, .ok(ref: ref, nil))]
    }

    private mutating func endTyping(_ name: UserName) {
        typing.cancel(name)
        guard let person = people[name], person.typesHere else { return }
        people[name]?.typesHere = false
        people[name]?.light.isTyping = person.isTypingElsewhere
        touch(name)
    }

    private mutating func read(
        _ reader: Reader, _ ref: UInt64, _ revision: Revision, of head: Revision
    ) -> [Effect] {
        guard let name = present[reader] else { return [.answer(reader, .error(ref: ref, .notThere(list.room)))] }
        guard revision <= head else { return [.answer(reader, .error(ref: ref, .notReached(revision, head)))] }
        if let person = people[name], person.light.read < revision {
            people[name]?.light.read = revision
            touch(name)
        }
        return [.answer(reader, .ok(ref: ref, nil))]
    }

    private mutating func endWhatIsDue(at now: Duration) {
        for name in leaving.take(upTo: now) { touch(name) }
        for name in typing.take(upTo: now) { endTyping(name) }
        for name in forgetting.take(upTo: now) {
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
        // Before somebody who came and left within the tick is forgotten: others may have asked meanwhile.
        let news = names.compactMap { share($0) }
        for name in names { settle(name, at: now) }
        let shared: [Effect] = news.isEmpty ? [] : [.share(news)]
        while gone.count > policy.remembered, let name = gone.popFirst() { forget(name) }
        while online - unlisted.count < policy.shown, let name = unlisted.popFirst() { show(name) }
        for name in names { show(name) }
        guard let diff = rows.commit(counts: counts) else { return shared }
        soonest = now + policy.tick
        return followers.isEmpty ? shared : shared + [.publish(diff)]
    }

    /// Brings what is told of somebody to what is the case.
    private mutating func settle(_ name: UserName, at now: Duration) {
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
            people[name]?.light.isTyping = false
            remember(name, from: now)
        case (.offline, false) where person.isForgotten:
            gone.remove(person.sort)
            forget(name)
        case (.offline, false):
            remember(name, from: now)  // came and went within a tick
        case (nil, false):
            typing.cancel(name)
            people[name] = nil
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
        rows.hide(name)
    }

    /// Gives somebody their row as it should be, or none.
    private mutating func show(_ name: UserName) {
        guard let person = people[name], let section = person.section else { return }
        if section == .online, let first = unlisted.first, person.sort >= first {
            rows.hide(name)
        } else {
            rows.show(name, section, person.sort, person.light)
        }
    }
}

extension WireError {
    fileprivate static func notThere(_ room: RoomName) -> WireError {
        WireError(.notFound, "not subscribed to \(ListName.messages(room)), which is what makes you be there")
    }

    fileprivate static func notReached(_ revision: Revision, _ head: Revision) -> WireError {
        WireError(.badRequest, "revision: \(revision) was not reached yet, must be at most \(head)")
    }
}
