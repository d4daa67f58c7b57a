import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

/// The columns of the queries for messages and operations, as values.
extension Row {
    /// Returns the message, and the revision that last replaced its content.
    func message() throws(RoomStoreError) -> (Message, reloaded: Revision) {
        var sum = RowSum()
        let sort = try natural(0, &sum)
        let id = try id(1, &sum)
        let changed = try natural(2, &sum)
        let reloaded = try natural(3, &sum)
        guard let author = UserName(known: try text(4, &sum)) else { throw damaged(4) }
        let time = try natural(5, &sum)
        let text = try text(6, &sum)
        let edited = try optional(7, &sum) { (column, sum) throws(RoomStoreError) in try natural(column, &sum) }
        let reply = try optional(8, &sum) { (column, sum) throws(RoomStoreError) in try self.id(column, &sum) }
        let light = try optional(9, &sum) { (column, sum) throws(RoomStoreError) in
            addBlob(column, to: &sum)
            return try self.light(column)
        }
        let mentions = try optional(10, &sum) { (column, sum) throws(RoomStoreError) in try self.text(column, &sum) }
        guard let content = ContentColumns(text: text, reply: reply, mentions: mentions).row else {
            throw damaged(6)
        }
        if sums != .ignored {
            sum.add(integer(11))
            sum.add(integer(12))
            try require(sum, in: 13)
        }
        let message = Message(
            id: id, section: .history, sort: UInt64(sort), rev: Revision(changed), author: author, time: time,
            content: content, edited: edited, reactions: light?.reactions ?? [], thread: light?.thread)
        return (message, Revision(reloaded))
    }

    func committedOperation(in room: RoomName) throws(RoomStoreError) -> CommittedOperation {
        let columns = try operationColumns()
        guard let action = columns.action(in: room) else { throw damaged(4) }
        var operation = Operation(
            command: try id(1), author: try user(2), role: try role(7), time: try time(3), action: action)
        operation.instant = try instant(3, drift: 12)
        var committed = CommittedOperation(revision: try revision(0), operation: operation)
        committed.changesNothing = columns.changesNothing
        committed.followers = columns.followers
        return committed
    }

    /// Reads the instant of an operation from its time and its drift.
    func instant(_ time: Int32, drift: Int32) throws(RoomStoreError) -> Milliseconds {
        let instant = try self.time(time).addingReportingOverflow(integer(drift))
        guard !instant.overflow, instant.partialValue.isOnTheWire else { throw damaged(drift) }
        return instant.partialValue
    }

    func auditEntry(in room: RoomName) throws(RoomStoreError) -> AuditEntry {
        guard let deed = try operationColumns().deed(in: room) else { throw damaged(4) }
        return AuditEntry(revision: try revision(0), time: try time(3), author: try user(2), deed: deed)
    }

    private func operationColumns() throws(RoomStoreError) -> OperationColumns {
        try requireSum(of: integer(12) == 0 ? 0..<12 : 0..<13, in: 13)
        guard let kind = OperationKind(rawValue: integer(4)) else { throw damaged(4) }
        return OperationColumns(
            kind: kind, target: isNull(5) ? nil : try id(5), text: isNull(6) ? nil : try text(6),
            subjects: try mentions(8).people, value: isNull(9) ? nil : integer(9),
            mentions: try mentions(10))
    }

    func role(_ column: Int32) throws(RoomStoreError) -> Role {
        guard let role = Int(exactly: integer(column)).flatMap(Role.init(rawValue:)) else { throw damaged(column) }
        return role
    }

    func room(_ column: Int32) throws(RoomStoreError) -> RoomName {
        guard let room = RoomName(known: try text(column)) else { throw damaged(column) }
        return room
    }

    func user(_ column: Int32) throws(RoomStoreError) -> UserName {
        guard let user = UserName(known: try text(column)) else { throw damaged(column) }
        return user
    }

    func title(_ column: Int32) throws(RoomStoreError) -> RoomTitle? {
        if isNull(column) { return nil }
        guard let title = RoomTitle(known: try text(column)) else { throw damaged(column) }
        return title
    }

    /// Reads the settings from this column and the three after it.
    func settings(_ column: Int32) throws(RoomStoreError) -> RoomSettings {
        let pinned = try revision(column)
        return RoomSettings(
            pinned: pinned == 0 ? nil : pinned, isMuted: integer(column + 1) != 0,
            isArchived: integer(column + 2) != 0, marked: try revision(column + 3))
    }

    func topic(_ column: Int32) throws(RoomStoreError) -> RoomTopic? {
        if isNull(column) { return nil }
        guard let topic = RoomTopic(known: try text(column)) else { throw damaged(column) }
        return topic
    }

    func picture(_ column: Int32) throws(RoomStoreError) -> Picture? {
        if isNull(column) { return nil }
        guard let picture = Picture(try text(column)) else { throw damaged(column) }
        return picture
    }

    /// Reads a room's pinned messages from this column, with the sum in the next one and what that should be behind it.
    ///
    /// - Parameter start: the first sort key that the room has kept.
    func pins(_ column: Int32, since start: UInt64) throws(RoomStoreError) -> Pins {
        guard !isNull(column) else { return Pins() }
        try requireSum(column + 1)
        guard let pins = PinBytes.decoding(bytes(column)) else { throw damaged(column) }
        return pins.since(start)
    }

    /// Reads a stored profile from the first three columns.
    func profile() throws(RoomStoreError) -> StoredProfile {
        try requireSum(of: 0..<4, in: 4)
        let name = isNull(0) ? nil : DisplayName(known: try text(0))
        guard isNull(0) || name != nil else { throw damaged(0) }
        return StoredProfile(profile: Profile(name: name, picture: try picture(1)), second: integer(2))
    }

    private func mentions(_ column: Int32) throws(RoomStoreError) -> Mentioned {
        if isNull(column) { return [] }
        guard let mentions = MentionText.decoding(try text(column)) else { throw damaged(column) }
        return mentions
    }

    private func light(_ column: Int32) throws(RoomStoreError) -> Message.Light {
        if isNull(column) { return Message.Light(reactions: []) }
        guard let light = LightBytes.decoding(bytes(column)) else { throw damaged(column) }
        return light
    }
}
