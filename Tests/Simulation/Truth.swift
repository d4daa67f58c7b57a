import ChatRoom
import ChatWire
import RoomStore

/// All that one disk ever made durable, as plainly as it can be kept: every state that the room had, whole.
struct Truth {
    /// Those within a large batch are empty: nobody can have seen them.
    private(set) var states = [Rows()]
    private(set) var rows = Rows()
    /// `nil` where the list was trimmed.
    private(set) var log: [Operation?] = []
    private(set) var commands: [CommandID: Revision] = [:]
    /// `laws[r]` held at revision r.
    private(set) var laws = [RoomRules(of: .open)]
    private var changes: [RowChange] = [.nothing]
    private var isUnseen = false
    /// Where the list began at each revision.
    private var starts: [UInt64] = [0]
    private var proofs = [ListProof(count: 0, digest: 0)]
    /// By the bytes of the name, whatever else it is equal to.
    private var standings: [[UInt8]: Standing] = [:]
    /// The members' read marks, by the bytes of their names.
    private var members: [[UInt8]: Revision] = [:]
    /// The times at which the members joined.
    private var joined: [[UInt8]: Milliseconds] = [:]
    /// A stamp that each message raises, whatever the clocks show.
    private var activity: Int64 = 0
    /// The members' settings that differ from the first ones.
    private var settings: [[UInt8]: RoomSettings] = [:]
    /// The revisions at which members last marked the room as unread.
    private var lastMarked: [[UInt8]: Revision] = [:]
    /// When people became members, or none any more; and every mark that they had.
    private var comings: [[UInt8]: [(revision: Revision, isMember: Bool)]] = [:]
    private var marks: [[UInt8]: Set<Revision>] = [:]
    /// Each message that ever mentioned anybody, with every text and every mention that it had.
    private var versions: [MessageID: [Message]] = [:]
    /// True if nobody can have seen a state.
    private var isHidden = [false]
    /// The person who was taken for somebody else, if there is one.
    private(set) var confusion: String?

    var revision: Revision { Revision(log.count) }

    /// Returns the outcome of an operation, and notes the operation if it changes something.
    mutating func commit(_ operation: Operation, limits: WireLimits) -> CommitOutcome {
        if let before = commands[operation.command] {
            return log[Int(before) - 1]?.repeats(operation) == true ? .repeated(before) : .conflict
        }
        let row = operation.message.flatMap { self.row($0, in: rows) }
        if laws[log.count].standing(of: operation.author) != standing(of: operation.author) {
            confusion = "\(operation.author.bytes) acts as somebody else"
        }
        do throws(Refusal) {
            let membership: Membership =
                members[operation.author.bytes] != nil
                ? .member(settings[operation.author.bytes] ?? RoomSettings()) : .guest(memberships: 0)
            let change = try operation.fold(
                onto: row, by: membership, under: laws[log.count], at: revision + 1, limits: limits)
            if change == .nothing, operation.action.isItsOwnRepeat { return .repeated(revision) }
            tell(apart: operation.author, from: row?.author, change)
            append(change)
            if case .inserted = change { activity = max(activity + 1, operation.time * 512) }
            if case .joined(let user) = change { joined[user.bytes] = operation.time }
            log.append(operation)
            commands[operation.command] = revision
            return .committed(revision, change)
        } catch {
            return .refused(error)
        }
    }

    private mutating func append(_ change: RowChange) {
        switch change {
        case .inserted(let row):
            rows.append(row.plain)
            keep(row)
        case .reloaded(let row):
            rows[place(of: row.sort, in: rows)] = row
            keep(row)
        case .reconfigured(let row): rows[place(of: row.sort, in: rows)] = row
        case .deleted(_, let sort): rows.remove(at: place(of: sort, in: rows))
        case .ruled, .joined, .left, .settings, .affiliated, .created, .nothing: break
        }
        if case .ruled(.standing(let user, let standing)) = change { standings[user.bytes] = standing }
        if let leaver = change.leaver, members.removeValue(forKey: leaver.bytes) != nil {
            comings[leaver.bytes, default: []].append((revision + 1, false))
            settings[leaver.bytes] = nil
        }
        if case .settings(let user, let changed, let unreadFrom) = change {
            settings[user.bytes] = changed
            if changed.marked == revision + 1 { lastMarked[user.bytes] = changed.marked }
            if let unreadFrom, let read = members[user.bytes], read >= unreadFrom {
                let mark = max(unreadFrom - 1, comings[user.bytes]?.last?.revision ?? 0)
                members[user.bytes] = mark
                marks[user.bytes, default: []].insert(mark)
            }
        }
        if case .joined(let user) = change {
            members[user.bytes] = revision + 1
            comings[user.bytes, default: []].append((revision + 1, true))
            marks[user.bytes, default: []].insert(revision + 1)
        }
        var rules = laws[laws.count - 1]
        rules.apply(change)
        laws.append(rules)
        note(change)
    }

    private mutating func keep(_ row: Message) {
        if !row.mentions.isEmpty || versions[row.id] != nil { versions[row.id, default: []].append(row) }
    }

    /// Carries out an operation after which nobody sees the room, until ``reveal()``.
    mutating func commitUnseen(_ operation: Operation, limits: WireLimits) -> CommitOutcome {
        isUnseen = true
        defer { isUnseen = false }
        return commit(operation, limits: limits)
    }

    /// From now on the present state can be seen.
    mutating func reveal() {
        states[states.count - 1] = rows
        isHidden[states.count - 1] = false
    }

    /// Somebody has read so far: a member's mark only grows, and not while a mark as unread is later. Nobody else has one.
    mutating func mark(_ user: UserName, upTo revision: Revision) {
        let read = members[user.bytes] ?? 0
        let isTooEarly = settings(of: user).marked > read && revision < settings(of: user).marked
        let mark = isTooEarly ? read : max(read, min(revision, self.revision))
        if members[user.bytes] != nil { members[user.bytes] = mark }
        // Whoever left through another server is told of it all the same, until the row goes; as is whoever had read
        // further through another one.
        marks[user.bytes, default: []].formUnion([mark, min(revision, self.revision)])
    }

    /// A message's row in a state, which has it at the revision of its send.
    private func row(_ id: MessageID, in state: Rows) -> Message? {
        guard let sort = commands[id] else { return nil }
        let place = place(of: sort, in: state)
        return place < state.count && state[place].id == id ? state[place] : nil
    }

    private func place(of sort: UInt64, in state: Rows) -> Int {
        var places = state.indices
        while !places.isEmpty {
            let middle = places.lowerBound + places.count / 2
            places = state[middle].sort < sort ? middle + 1..<places.upperBound : places.lowerBound..<middle
        }
        return places.lowerBound
    }

    private func standing(of user: UserName) -> Standing { standings[user.bytes] ?? Standing() }

    /// True if a person who did not write the message may have changed it so.
    private mutating func tell(apart user: UserName, from author: UserName?, _ change: RowChange) {
        guard let author, author.bytes != user.bytes else { return }
        switch change {
        case .reloaded: confusion = "\(user.bytes) edits what \(author.bytes) wrote"
        case .deleted where standing(of: user).role(granted: .write, in: .open) < .moderate:
            confusion = "\(user.bytes) deletes what \(author.bytes) wrote"
        case .deleted, .inserted, .reconfigured, .ruled, .joined, .left, .settings, .affiliated, .created, .nothing:
            break
        }
    }

    /// The list's first rows go, up to so many that are left, and not more than a store lets go of at once.
    mutating func trim(to count: Int) {
        let gone = rows.dropLast(count).prefix(Trimming.entries)
        guard let last = gone.last else { return }
        log.append(nil)
        laws.append(laws[laws.count - 1])
        rows.removeFirst(gone.count)
        note(.nothing)
        starts[starts.count - 1] = last.sort + 1
    }

    private mutating func note(_ change: RowChange) {
        states.append(isUnseen ? Rows() : rows)
        isHidden.append(isUnseen)
        changes.append(change)
        starts.append(starts[starts.count - 1])
        proofs.append(ListProof(count: rows.count, digest: ListDigest(rows.suffix(ListDigest.window)).value))
    }

    /// In the order in which they were carried out. Joins and leaves have ids of the server's.
    func commands(of author: UserName) -> [CommandID] {
        log.compactMap(\.self).filter { $0.author.bytes == author.bytes && !$0.action.isOfMembership }.map(\.command)
    }

    func proof(at revision: Revision) -> ListProof {
        proofs[Int(revision)]
    }

    /// Messages that were touched since a revision.
    func touched(since base: Revision, upTo target: Revision) -> Set<MessageID> {
        Set(log[Int(base)..<Int(target)].compactMap { $0?.message })
    }

    /// The net difference between two states, found by looking at both.
    func diff(from base: Revision, to target: Revision) -> ListDiff<Message> {
        var diff = ListDiff<Message>(from: base, to: target, proof: proof(at: target))
        var reloaded: Set<MessageID> = []
        var deleted: Set<MessageID> = []
        for change in changes[Int(base)...Int(target)].dropFirst() {
            if case .reloaded(let row) = change { reloaded.insert(row.id) }
            if case .deleted(let id, _) = change { deleted.insert(id) }
        }
        diff.start = starts[Int(target)]
        for id in touched(since: base, upTo: target) {
            let old = row(id, in: states[Int(base)])
            let new = row(id, in: states[Int(target)])
            switch (old, new) {
            case (nil, nil): break
            case (nil, let new?): diff.insertions.append(new)
            case (_?, nil): if deleted.contains(id) { diff.deletions.append(id) }
            case (let old?, let new?) where old.rev == new.rev: break
            case (_?, let new?) where reloaded.contains(id): diff.reloads.append(new)
            case (_?, let new?):
                diff.reconfigurations.append(ListReconfiguration(id: id, rev: new.rev, light: new.light))
            }
        }
        return diff
    }
}

// MARK: - Members

extension Truth {
    func isMember(_ user: UserName, at revision: Revision) -> Bool {
        comings[user.bytes]?.last { $0.revision <= revision }?.isMember ?? false
    }

    /// Counts anew the row that the room has in a reader's list; `nil` if it is not in the list.
    func light(of user: UserName) -> MyRoom.Light? {
        guard let read = members[user.bytes], standing(of: user).role(granted: .write, in: .open) >= .read else {
            return nil
        }
        let unread = rows[place(of: read + 1, in: rows)...]
        return MyRoom.Light(
            unread: UInt64(unread.count), mentions: UInt64(unread.count { $0.calls(user) }), read: read,
            isMuted: settings(of: user).isMuted, isMarked: settings(of: user).marked > read,
            last: rows.last.map { LastMessage($0) })
    }

    /// True if a person has not marked the room as unread since a revision.
    func isUnmarked(by user: UserName, since revision: Revision) -> Bool { lastMarked[user.bytes] ?? 0 <= revision }

    func settings(of user: UserName) -> RoomSettings { settings[user.bytes] ?? RoomSettings() }

    /// The section of somebody's list of rooms in which the room stands.
    func section(of user: UserName) -> MyRoom.Section {
        let settings = settings(of: user)
        return settings.isArchived ? .archived : settings.pinned == nil ? .rooms : .pinned
    }

    /// When something last happened in the room for a member.
    func lastActivity(for user: UserName) -> Int64 { max((joined[user.bytes] ?? 0) * 512, activity) }

    /// The number of edited messages that mention a member and are unread.
    func editedMentions(of user: UserName) -> Int {
        guard let read = members[user.bytes] else { return 0 }
        return rows[place(of: read + 1, in: rows)...].count { $0.edited != nil && $0.calls(user) }
    }

    /// The messages that are there, and mentioned somebody once, but do so no longer.
    func formerMentions(of user: UserName) -> [Message] {
        rows.filter { row in !row.calls(user) && versions[row.id]?.contains { $0.calls(user) } ?? false }
    }

    /// True if a row of a person's list of mentions is what the message was at some moment, read or unread.
    func explains(_ row: MyMention, of user: UserName) -> Bool {
        guard let sort = commands[row.id.message], let marks = marks[user.bytes] else { return false }
        return versions[row.id.message]?.contains { version in
            let message = LastMessage(version)
            return version.calls(user) && message.author == row.author && message.time == row.time
                && message.text == row.light.text
        } ?? false && marks.contains { ($0 >= sort) == row.light.isRead }
    }

    /// True if a row of a person's list of rooms is what the room was at some moment.
    ///
    /// The counts follow a deletion, or an edit of mentions, only after the store was asked: until then, later messages may
    /// be counted without it. The last message may be older than the counts, if a count from the store overtook the news.
    func explains(_ light: MyRoom.Light, of user: UserName) -> Bool {
        guard marks[user.bytes]?.contains(light.read) == true, let first = earliest(showing: light.last) else {
            return false
        }
        return (first...revision).reversed().contains { counts(light, of: user, at: $0) }
    }

    /// The first revision at which that was the last message.
    private func earliest(showing last: LastMessage?) -> Revision? {
        let first = last.map { commands[$0.id] } ?? 0
        guard let first else { return nil }
        return (first...revision).first { !isHidden[Int($0)] && states[Int($0)].last.map { LastMessage($0) } == last }
    }

    /// True if the counts are those of a revision, or of an earlier one with the news since.
    private func counts(_ light: MyRoom.Light, of user: UserName, at revision: Revision) -> Bool {
        guard !isHidden[Int(revision)] else { return false }
        var (told, calls): (UInt64, UInt64) = (0, 0)
        var base = Int(revision)
        while true {
            let state = states[base]
            let start = place(of: light.read + 1, in: state)
            let unread = UInt64(state.count - start) + told
            if unread == light.unread, UInt64(state[start...].count { $0.calls(user) }) + calls == light.mentions {
                return true
            }
            // What is told comes without a gap, so not across what others did at once, nor a trimming.
            guard unread <= light.unread, base > 0, base > light.read, !isHidden[base - 1], log[base - 1] != nil else {
                return false
            }
            if case .inserted(let row) = changes[base] {
                told += 1
                if row.calls(user) { calls += 1 }
            }
            base -= 1
        }
    }
}

extension UserName {
    fileprivate var bytes: [UInt8] { Array(description.utf8) }
}

extension ListDiff<Message> {
    /// The diff in one order and with every row in one section, as a reader does not look at either.
    var plain: Self {
        var plain = self
        plain.deletions.sort()
        plain.insertions = insertions.map(\.plain).sorted { $0.sort < $1.sort }
        plain.reloads = reloads.map(\.plain).sorted { $0.sort < $1.sort }
        plain.reconfigurations.sort { $0.id < $1.id }
        return plain
    }
}

extension Message {
    /// The message in the section in which the store has it.
    var plain: Message {
        var message = self
        message.section = .history
        return message
    }
}
