package import ChatRoom
package import ChatWire

/// How much of each room is kept.
package struct Retention: Equatable, Sendable {
    /// What is kept of a room's messages. Both limits hold.
    package struct Rule: Equatable, Sendable {
        /// The last so many; `nil` for all.
        package var messages: Int?
        /// Those that are younger; `nil` for all.
        package var age: Milliseconds?

        package init(messages: Int? = nil, age: Milliseconds? = nil) {
            self.messages = messages
            self.age = age
        }

        package static let everything = Rule()
    }

    /// Where no pattern says otherwise.
    package var rule: Rule
    /// The most specific pattern that matches a room decides alone.
    package var rules: [RoomPattern: Rule]
    /// How long a reader may be away and still get a diff, and a command be repeated and get its first answer.
    package var resumeTime: Milliseconds
    /// Nothing is due in these: their data is damaged, and evidence.
    package var spared: Set<RoomName> = []

    package static let day: Milliseconds = 24 * 60 * 60 * 1_000

    /// - Precondition: `resumeTime` is at least a day.
    package init(_ rule: Rule, rules: [RoomPattern: Rule] = [:], resumeTime: Milliseconds = 7 * day) {
        precondition(resumeTime >= Self.day, "a command is remembered for \(resumeTime) ms only")
        self.rule = rule
        self.rules = rules
        self.resumeTime = resumeTime
    }

    package func rule(for room: RoomName) -> Rule {
        rules.filter { $0.key.matches(room) }.max { $0.key.specificity < $1.key.specificity }?.value ?? rule
    }

    /// Whether there is anything to do in a room, seen from its oldest row and the oldest operation not forgotten yet.
    package func isDue(_ room: RoomName, count: Int, oldest: Milliseconds?, done: Milliseconds?, at now: Milliseconds)
        -> Bool
    {
        if spared.contains(room) { return false }
        if let done, done < now - resumeTime { return true }
        return oldest.map { rule(for: room).excess(count: count, times: [$0], at: now) > 0 } ?? false
    }
}

extension Retention.Rule {
    /// How many of a list's first rows are to go: those that are too many, and those before the first that is young
    /// enough.
    ///
    /// - Parameters:
    ///   - count: how many rows the list has.
    ///   - times: when its first rows were sent, in their order; no more of them go.
    package func excess(count: Int, times: [Milliseconds], at now: Milliseconds) -> Int {
        let tooMany = messages.map { $0 < count ? min(count - $0, times.count) : 0 } ?? 0
        let tooOld = age.map { age in times.prefix { $0 < now - age }.count } ?? 0
        return max(tooMany, tooOld)
    }
}

/// What one step of a pass over all rooms did.
package struct Trimming: Equatable, Sendable {
    /// The rooms whose lists begin later now, and the revisions at which they do.
    package private(set) var shortened: [RoomName: Revision] = [:]
    /// How many rows went.
    package private(set) var rows = 0
    /// What was given back to the disk.
    package private(set) var bytesFreed = 0
    package private(set) var next: Next

    package enum Next: Equatable, Sendable {
        /// There is more to do in the rooms whose names come after this one; `nil` for all rooms.
        case after(RoomName?)
        /// Every room has been visited.
        case done
    }

    /// The last room that is finished.
    private var last: RoomName?
    private var looked = 0

    /// How much one step does at most, so that a commit does not wait long for it.
    package static let rooms = 64
    /// Of each kind: rows, and operations.
    package static let entries = 256

    package init(after room: RoomName?) {
        last = room
        next = .after(room)
    }

    /// What was done in one room.
    package struct Trimmed: Equatable, Sendable {
        /// The room's revision, if its list begins later now.
        package let revision: Revision?
        /// How many rows went.
        package let rows: Int
        /// How many operations were looked at.
        package let operations: Int

        package init(revision: Revision?, rows: Int, operations: Int) {
            self.revision = revision
            self.rows = rows
            self.operations = operations
        }
    }

    /// Whether the step has done enough, or left a room unfinished.
    package var isEnough: Bool { looked >= Self.entries }

    package mutating func add(_ trimmed: Trimmed, of room: RoomName) {
        if let revision = trimmed.revision { shortened[room] = revision }
        rows += trimmed.rows
        let looked = max(trimmed.rows, trimmed.operations)
        self.looked += looked
        if looked < Self.entries { last = room }
        next = .after(last)
    }

    /// - Parameters:
    ///   - room: the last room that was to be visited, if there was one.
    ///   - count: how many there were, ``rooms`` if there may be more.
    package mutating func finish(visited room: RoomName?, of count: Int) {
        guard !isEnough else { return }
        if let room { last = room }
        next = count < Self.rooms ? .done : .after(last)
    }

    /// What is free in the store's file is given back step by step too, when all rooms are visited.
    package mutating func free(_ bytes: Int) {
        bytesFreed = bytes
        if bytes > 0 { next = .after(last) }
    }
}
