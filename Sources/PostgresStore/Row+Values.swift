import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

extension Pins {
    /// The value of the column; `nil` for none.
    var column: [UInt8]? { isEmpty ? nil : PinBytes.encoding(self) }
}

/// The columns of the queries for messages and operations, as values. Each has the room's name in front.
extension Row {
    func room() throws(PostgresFailure) -> RoomName {
        guard let room = RoomName(known: text(0)) else { throw senseless(0) }
        return room
    }

    /// Returns the message, and the revision that last replaced its content.
    func message() throws(PostgresFailure) -> (Message, reloaded: Revision) {
        let columns = ContentColumns(
            text: text(7), reply: isNull(9) ? nil : try id(9), mentions: isNull(11) ? nil : text(11))
        guard let content = columns.row else { throw senseless(7) }
        let light = try light(10)
        let message = Message(
            id: try id(2), section: .history, sort: try revision(1), rev: try revision(3), author: try user(5),
            time: try time(6), content: content, edited: isNull(8) ? nil : try time(8), reactions: light.reactions,
            thread: light.thread)
        return (message, try revision(4))
    }

    func committedOperation(in room: RoomName) throws(PostgresFailure) -> CommittedOperation {
        let columns = try operationColumns()
        guard let action = columns.action(in: room) else { throw senseless(5) }
        var operation = Operation(
            command: try id(2), author: try user(3), role: try role(8), time: try time(4), action: action)
        let instant = operation.time.addingReportingOverflow(try integer(12))
        guard !instant.overflow, instant.partialValue.isOnTheWire else { throw senseless(12) }
        operation.instant = instant.partialValue
        var committed = CommittedOperation(revision: try revision(1), operation: operation)
        committed.changesNothing = columns.changesNothing
        committed.followers = columns.followers
        return committed
    }

    func auditEntry(in room: RoomName) throws(PostgresFailure) -> AuditEntry {
        guard let deed = try operationColumns().deed(in: room) else { throw senseless(5) }
        return AuditEntry(revision: try revision(1), time: try time(4), author: try user(3), deed: deed)
    }

    private func operationColumns() throws(PostgresFailure) -> OperationColumns {
        guard let kind = OperationKind(rawValue: try integer(5)) else { throw senseless(5) }
        return OperationColumns(
            kind: kind, target: isNull(6) ? nil : try id(6), text: isNull(7) ? nil : text(7),
            subjects: try mentions(9).people, value: isNull(10) ? nil : try integer(10),
            mentions: try mentions(11))
    }

    func standing() throws(PostgresFailure) -> (UserName, Standing) {
        (try user(1), try standing(2))
    }

    /// Reads a standing from this column and the three after it.
    func standing(_ column: Int32) throws(PostgresFailure) -> Standing {
        Standing(
            role: try role(column), mutedUntil: try integer(column + 1), isBanned: try integer(column + 2) != 0,
            kicked: try revision(column + 3))
    }

    func role(_ column: Int32) throws(PostgresFailure) -> Role {
        guard let role = Int(exactly: try integer(column)).flatMap(Role.init(rawValue:)) else {
            throw senseless(column)
        }
        return role
    }

    func user(_ column: Int32) throws(PostgresFailure) -> UserName {
        guard let user = UserName(known: text(column)) else { throw senseless(column) }
        return user
    }

    func title(_ column: Int32) throws(PostgresFailure) -> RoomTitle? {
        if isNull(column) { return nil }
        guard let title = RoomTitle(known: text(column)) else { throw senseless(column) }
        return title
    }

    /// Reads the settings from this column and the three after it.
    func settings(_ column: Int32) throws(PostgresFailure) -> RoomSettings {
        let pinned = try revision(column)
        return RoomSettings(
            pinned: pinned == 0 ? nil : pinned, isMuted: try integer(column + 1) != 0,
            isArchived: try integer(column + 2) != 0, marked: try revision(column + 3))
    }

    func topic(_ column: Int32) throws(PostgresFailure) -> RoomTopic? {
        if isNull(column) { return nil }
        guard let topic = RoomTopic(known: text(column)) else { throw senseless(column) }
        return topic
    }

    func picture(_ column: Int32) throws(PostgresFailure) -> Picture? {
        if isNull(column) { return nil }
        guard let picture = Picture(text(column)) else { throw senseless(column) }
        return picture
    }

    /// - Parameter start: the first sort key that the room has kept.
    func pins(_ column: Int32, since start: UInt64) throws(PostgresFailure) -> Pins {
        if isNull(column) { return Pins() }
        guard let pins = PinBytes.decoding(bytes(column)) else { throw senseless(column) }
        return pins.since(start)
    }

    /// Reads a stored profile from this column and the two after it.
    func profile(_ column: Int32) throws(PostgresFailure) -> StoredProfile {
        let name = isNull(column) ? nil : DisplayName(known: text(column))
        guard isNull(column) || name != nil else { throw senseless(column) }
        return StoredProfile(
            profile: Profile(name: name, picture: try picture(column + 1)), second: try integer(column + 2))
    }

    /// Reads a draft from this column and the two after it.
    func draft(_ column: Int32) throws(PostgresFailure) -> StoredDraft {
        guard let room = RoomName(known: text(column)) else { throw senseless(column) }
        guard let content = MessageContent(stored: text(column + 2)) else { throw senseless(column + 2) }
        return StoredDraft(room: room, content: content, time: try time(column + 1))
    }

    /// Reads an item of `me/later`, and whose it is, from the first column and the five after it.
    func later() throws(PostgresFailure) -> (user: UserName, item: StoredLater) {
        guard let light = LaterItem.Light(stored: text(5)) else { throw senseless(5) }
        let item = StoredLater(
            id: try id(1), light, role: try role(4), due: isNull(2) ? nil : try time(2), held: try time(3))
        return (try user(0), item)
    }

    private func mentions(_ column: Int32) throws(PostgresFailure) -> Mentioned {
        if isNull(column) { return [] }
        guard let mentions = MentionText.decoding(text(column)) else { throw senseless(column) }
        return mentions
    }

    private func light(_ column: Int32) throws(PostgresFailure) -> Message.Light {
        guard let light = LightBytes.decoding(bytes(column)) else { throw senseless(column) }
        return light
    }
}
