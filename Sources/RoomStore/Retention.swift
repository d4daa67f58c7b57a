package import ChatRoom
package import ChatWire

/// The rules for how much of each room is kept.
package struct Retention: Equatable, Sendable {
    /// The messages of a room that are kept. Both limits hold.
    package struct Rule: Equatable, Sendable {
        /// The greatest number of messages; `nil` for no limit.
        package var messages: Int?
        /// The greatest age of a message; `nil` for no limit.
        package var age: Milliseconds?

        package init(messages: Int? = nil, age: Milliseconds? = nil) {
            self.messages = messages
            self.age = age
        }

        package static let everything = Rule()
    }

    /// The rule for rooms that match no pattern.
    package var rule: Rule
    /// The rules by pattern. The most specific pattern that matches a room decides alone.
    package var rules: [RoomPattern: Rule]
    /// The time for which a returning reader gets a diff, and a repeated command its first answer.
    package var resumeTime: Milliseconds
    /// Rooms that are not trimmed, because their damaged data is evidence.
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

    /// Returns whether a room is to be trimmed, judged by its oldest row and its oldest operation that is not
    /// forgotten.
    package func isDue(_ room: RoomName, count: Int, oldest: Milliseconds?, done: Milliseconds?, at now: Milliseconds)
        -> Bool
    {
        if spared.contains(room) { return false }
        if let done, done < now - resumeTime { return true }
        return oldest.map { rule(for: room).excess(count: count, times: [$0], at: now) > 0 } ?? false
    }
}

extension Retention.Rule {
    /// Returns the number of a list's first rows to remove: rows over the limit, and rows before the first one that is
    /// young enough.
    ///
    /// - Parameters:
    ///   - count: the number of rows in the list.
    ///   - times: the times of the first rows, in order. No more rows than these are removed.
    package func excess(count: Int, times: [Milliseconds], at now: Milliseconds) -> Int {
        let tooMany = messages.map { $0 < count ? min(count - $0, times.count) : 0 } ?? 0
        let tooOld = age.map { age in times.prefix { $0 < now - age }.count } ?? 0
        return max(tooMany, tooOld)
    }
}

/// The result of one step of a pass over all rooms.
package struct Trimming: Equatable, Sendable {
    /// The rooms whose lists now begin later, with the revisions of that change.
    package private(set) var shortened: [RoomName: Revision] = [:]
    /// The number of removed rows.
    package private(set) var rows = 0
    /// The bytes that were returned to the disk.
    package private(set) var bytesFreed = 0
    package private(set) var next: Next

    package enum Next: Equatable, Sendable {
        /// The rooms whose names come after this one remain; `nil` for all rooms.
        case after(RoomName?)
        /// All rooms were visited.
        case done
    }

    /// The last room that is finished.
    private var last: RoomName?
    private var looked = 0

    /// The most rooms that one step visits, so that a commit does not wait long for it.
    package static let rooms = 64
    /// The most rows, and the most operations, that one step looks at.
    package static let entries = 256

    package init(after room: RoomName?) {
        last = room
        next = .after(room)
    }

    /// The result of a step in one room.
    package struct Trimmed: Equatable, Sendable {
        /// The room's new revision; `nil` if its list begins where it did.
        package let revision: Revision?
        /// The number of removed rows.
        package let rows: Int
        /// The number of examined operations.
        package let operations: Int

        package init(revision: Revision?, rows: Int, operations: Int) {
            self.revision = revision
            self.rows = rows
            self.operations = operations
        }
    }

    /// True when the step has done enough. It may have left a room unfinished.
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
    ///   - room: the last room to visit; `nil` if there was none.
    ///   - count: the number of rooms to visit; ``rooms`` if there may be more.
    package mutating func finish(visited room: RoomName?, of count: Int) {
        guard !isEnough else { return }
        if let room { last = room }
        next = count < Self.rooms ? .done : .after(last)
    }

    /// Notes that a step returned free space to the disk. The pass goes on with that after all rooms.
    package mutating func free(_ bytes: Int) {
        bytesFreed = bytes
        if bytes > 0 { next = .after(last) }
    }
}

/// The present, by which rows and operations have their age.
package struct StoreMoment: Equatable, Sendable {
    /// In the store's time.
    package let instant: Milliseconds
    /// The time of day, by a clock that may be wrong.
    let time: Milliseconds

    /// - Parameter lead: the time by which the store's time is ahead of the time of day.
    package init(_ time: Milliseconds, lead: Milliseconds) {
        self.time = time
        let instant = time.addingReportingOverflow(lead)
        self.instant = instant.overflow ? time : instant.partialValue
    }

    /// Returns the instant by which something has its age. It is as old as it is by the store's time, but no older than by
    /// the time of day, unless that says that it is yet to come: what a wrong clock made old in an instant is kept.
    package func instant(of time: Milliseconds, drift: Milliseconds) -> Milliseconds {
        let stored = time.addingReportingOverflow(drift)
        let began = stored.overflow ? time : stored.partialValue
        guard (0...self.time).contains(time) else { return began }
        return max(began, instant - (self.time - time))
    }
}
