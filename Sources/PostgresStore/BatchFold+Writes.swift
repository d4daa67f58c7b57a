import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

extension BatchFold {
    /// True when any operation is answered as carried out.
    var isAnswered: Bool {
        outcomes.contains { outcome in
            switch outcome {
            case .committed, .repeated: true
            case .conflict, .refused: false
            }
        }
    }

    /// The statements that write the result to the database.
    var writes: [Connection.Step] {
        let changed = rooms.values.filter(\.isChanged)
        let empty = rooms.values.filter { $0.revision == 0 }.map(\.id)
        let removed = tombstones.filter(\.isStored)
        var steps: [Connection.Step] = []
        if !operations.isEmpty { steps.append(addOperations) }
        if !changed.isEmpty {
            steps.append(
                .run(
                    .setRooms, .integers(changed.map(\.id)), .revisions(changed.map(\.revision)),
                    .integers(changed.map { Int64($0.count) }), .integers(changed.map(\.configuration.slowMode)),
                    .integers(changed.map { $0.configuration.isReadOnly ? 1 : 0 }),
                    .integers(changed.map { Int64($0.inserted) }),
                    .texts(changed.map(\.configuration.title?.description)),
                    .texts(changed.map(\.configuration.topic?.description)),
                    .texts(changed.map(\.configuration.picture?.description)),
                    .integers(changed.map(\.activity.rawValue)),
                    .integers(changed.map { Int64($0.sizes?.members ?? 0) }),
                    .integers(changed.map { Int64($0.sizes?.standings ?? 0) }),
                    .integers(changed.map { Int64($0.sizes?.senders ?? 0) }),
                    .integers(changed.map { $0.sizes == nil ? -1 : Int64(clamping: $0.revision) }),
                    .bytes(changed.map(\.configuration.pins.column))))
        }
        steps += ruleWrites + memberWrites
        if !entries.isEmpty { steps.append(putMessages) }
        steps += mentionWrites
        if !removed.isEmpty {
            steps.append(.run(.removeMessages, .integers(removed.map(\.room)), .revisions(removed.map(\.row.sort))))
        }
        if !tombstones.isEmpty { steps.append(addTombstones) }
        if !empty.isEmpty { steps.append(.run(.removeRooms, .integers(empty))) }
        return steps
    }

    private var ruleWrites: [Connection.Step] {
        var steps: [Connection.Step] = []
        let changed = changedStandings.compactMap { person in
            rooms[person.room].map { ($0.id, person.user, standing(of: person)) }
        }
        let standings = changed.filter { $0.2 != Standing() }
        let removed = changed.filter { $0.2 == Standing() }
        if !removed.isEmpty {
            steps.append(
                .run(.removeStandings, .integers(removed.map(\.0)), .texts(removed.map(\.1.description))))
        }
        if !standings.isEmpty {
            steps.append(
                .run(
                    .putStandings, .integers(standings.map(\.0)), .texts(standings.map(\.1.description)),
                    .integers(standings.map { Int64($0.2.role.rawValue) }), .integers(standings.map(\.2.mutedUntil)),
                    .integers(standings.map { $0.2.isBanned ? 1 : 0 }), .revisions(standings.map(\.2.kicked))))
        }
        let forgetful = rooms.values.filter(\.forgetsSends).map(\.id)
        if !forgetful.isEmpty { steps.append(.run(.forgetSends, .integers(forgetful))) }
        return steps + sendWrites
    }

    private var sendWrites: [Connection.Step] {
        var steps: [Connection.Step] = []
        let changed = senders.compactMap { person in
            rooms[person.room].map { ($0.id, person.user, lastSend(of: person)) }
        }
        let removed = changed.filter { $0.2 == nil }
        if !removed.isEmpty {
            steps.append(
                .run(.removeLastSends, .integers(removed.map(\.0)), .texts(removed.map(\.1.description))))
        }
        let sends = changed.filter { $0.2 != nil }
        if !sends.isEmpty {
            steps.append(
                .run(
                    .putLastSends, .integers(sends.map(\.0)), .texts(sends.map(\.1.description)),
                    .integers(sends.map(\.2))))
        }
        return steps
    }

    private var memberWrites: [Connection.Step] {
        guard !changedMembers.isEmpty else { return ownWrites }
        let joined = changedMembers.compactMap { person, joining in joining.map { (person.user, $0) } }
        let left = changedMembers.compactMap { person, joining in
            joining == nil ? rooms[person.room].map { ($0.id, person.user) } : nil
        }
        var steps: [Connection.Step] = []
        if !joined.isEmpty {
            steps.append(
                .run(
                    .addMembers, .integers(joined.map(\.1.room)), .texts(joined.map(\.0.description)),
                    .revisions(joined.map(\.1.revision)), .integers(joined.map(\.1.time)),
                    .texts(joined.map(\.1.inviter?.description)), .revisions(joined.map(\.1.read))))
        }
        if !left.isEmpty {
            steps.append(.run(.removeMembers, .integers(left.map(\.0)), .texts(left.map(\.1.description))))
        }
        return steps + ownWrites
    }

    /// The first change of everybody, then the second ones: a statement updates a row once.
    private var ownWrites: [Connection.Step] {
        (0..<(ownChanges.values.map(\.count).max() ?? 0)).flatMap { turn in
            var marks: [(room: Int64, user: String, revision: Revision)] = []
            var changed: [SettingsWrite] = []
            for (person, changes) in ownChanges where turn < changes.count {
                guard let room = rooms[person.room]?.id else { continue }
                switch changes[turn] {
                case .read(let revision): marks.append((room, person.user.description, revision))
                case .settings(let settings, let most):
                    changed.append(SettingsWrite(room: room, person: person, settings: settings, most: most))
                }
            }
            return setRead(marks) + setSettings(changed)
        }
    }

    private func setRead(_ marks: [(room: Int64, user: String, revision: Revision)]) -> [Connection.Step] {
        guard !marks.isEmpty else { return [] }
        return [
            .run(
                .setRead, .integers(marks.map(\.room)), .texts(marks.map(\.user)), .revisions(marks.map(\.revision)))
        ]
    }

    private func setSettings(_ changed: [SettingsWrite]) -> [Connection.Step] {
        guard !changed.isEmpty else { return [] }
        return [
            .run(
                .setSettings, .integers(changed.map(\.room)), .texts(changed.map(\.person.user.description)),
                .revisions(changed.map { $0.settings.pinned ?? 0 }),
                .integers(changed.map { $0.settings.isMuted ? 1 : 0 }),
                .integers(changed.map { $0.settings.isArchived ? 1 : 0 }),
                .revisions(changed.map(\.settings.marked)), .revisions(changed.map { min($0.most, WireInteger.limit) }),
                .integers(changed.map { $0.person.room.isThread ? 1 : 0 }))
        ]
    }

    /// - Shape: the reply by which a person has come to follow a thread may be unread, so that a read mark there may go one
    ///   revision further back.
    private struct SettingsWrite {
        let room: Int64
        let person: Person
        let settings: RoomSettings
        let most: Revision
    }

    private var addOperations: Connection.Step {
        let values = operations.map(\.operation.operation)
        let columns = operations.map(\.columns)
        return .run(
            .addOperations, .integers(operations.map(\.room)), .revisions(operations.map(\.operation.revision)),
            .ids(values.map(\.command)), .texts(values.map(\.author.description)), .integers(values.map(\.time)),
            .integers(columns.map(\.kind.rawValue)), .ids(columns.map(\.target)),
            .bytes(columns.map { $0.text.map { Array($0.utf8) } }), .integers(values.map { Int64($0.role.rawValue) }),
            .texts(columns.map(\.subjectText)), .integers(columns.map(\.value)),
            .texts(columns.map { MentionText.encoding($0.mentions) }), .integers(values.map(\.drift)),
            .integer(Int64(format)))
    }

    private var putMessages: Connection.Step {
        let entries = entries
        let rows = entries.map(\.entry.row)
        let contents = rows.map { ContentColumns($0.content, as: contentForm) }
        return .run(
            .putMessages, .integers(entries.map(\.room)), .revisions(rows.map(\.sort)), .ids(rows.map(\.id)),
            .revisions(rows.map(\.rev)), .revisions(entries.map(\.entry.reloaded)),
            .texts(rows.map(\.author.description)), .integers(rows.map(\.time)),
            .bytes(contents.map { Array($0.text.utf8) }),
            .integers(rows.map(\.edited)), .ids(contents.map(\.reply)),
            .bytes(rows.map { $0.light.isEmpty ? nil : LightBytes.encoding($0.light) }),
            .integers(entries.map { Int64($0.entry.ordinal) }), .texts(contents.map(\.mentions)))
    }

    private var mentionWrites: [Connection.Step] {
        let calls = entries.flatMap { room, entry in entry.row.mentionRows.map { (room: room, row: $0) } }
        var steps: [Connection.Step] = []
        if !unmentioned.isEmpty {
            steps.append(.run(.removeMentions, .integers(unmentioned.map(\.room)), .revisions(unmentioned.map(\.sort))))
        }
        if !calls.isEmpty {
            steps.append(
                .run(
                    .addMentions, .integers(calls.map(\.room)), .texts(calls.map(\.row.user)),
                    .revisions(calls.map(\.row.sort)), .texts(calls.map(\.row.author))))
        }
        return steps
    }

    private var addTombstones: Connection.Step {
        .run(
            .addTombstones, .integers(tombstones.map(\.room)), .revisions(tombstones.map(\.changed)),
            .ids(tombstones.map(\.row.id)), .revisions(tombstones.map(\.row.sort)))
    }
}
