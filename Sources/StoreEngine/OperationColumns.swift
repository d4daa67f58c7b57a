package import ChatRoom
package import ChatWire
package import RoomStore

/// The kind of an operation, as its row in a table names it. Kinds above 5 are in the audit log.
package enum OperationKind: Int64, Sendable {
    case settings = -2
    case leave = -1
    case join = 0
    case send = 1
    case edit = 2
    case delete = 3
    case react = 4
    case unreact = 5
    /// The deletion of another user's message.
    case remove = 6
    case mute = 7
    case unmute = 8
    case kick = 9
    case ban = 10
    case unban = 11
    case slowMode = 12
    case readOnly = 13
    case appoint = 14
    case title = 15
    case createPrivate = 16
    case createDirect = 17
    case invite = 18
    case topic = 19
    case picture = 20
    case createOpen = 21
    case pin = 22
    case unpin = 23
    /// A piece of a text that grows.
    case append = -3
    /// The end of a text's growth.
    case close = -4
    /// A summary of the thread of a message, by the server.
    case summarize = -5

    /// The last of the kinds that the audit log leaves out: those that make or change a message, and those about their
    /// author's membership and settings.
    package static let lastUnaudited = unreact
}

/// An operation's columns in a table.
package struct OperationColumns: Sendable {
    package let kind: OperationKind
    /// The message that is changed or pinned; in earlier formats also the one that a message answers.
    package let target: MessageID?
    /// A content as ``ContentColumns/text``, an emoji, the pinned message beside which another is put, or another text of
    /// the operation. Of a summary ``ChatWire/ThreadSummary/stored``.
    package let text: String?
    /// The affected user; for `remove`, the message's author; for a send in a thread, the people who follow it from then on.
    package let subjects: [UserName]
    /// Of a join or a leave: 1 if it changed nothing. Earlier servers do not read it. Of a pin: -1 before the message of
    /// ``text``, 1 after it. Of an append: the size of the text before.
    package let value: Int64?
    /// The people for whom a room was created; in earlier formats also those whom a message mentions.
    package let mentions: Mentioned

    package init(
        kind: OperationKind, target: MessageID? = nil, text: String? = nil, subjects: [UserName] = [],
        value: Int64? = nil, mentions: Mentioned = []
    ) {
        self.kind = kind
        self.target = target
        self.text = text
        self.subjects = subjects
        self.value = value
        self.mentions = mentions
    }

    /// - Parameters:
    ///   - row: the message that the operation concerns, as it stood before.
    ///   - form: the form of a content.
    package init(_ committed: CommittedOperation, about row: Message?, as form: ContentColumns.Form = .whole) {
        switch (committed.operation.action, committed.changesNothing) {
        case (.join, true): self.init(kind: .join, value: 1)
        case (.leave, true): self.init(kind: .leave, value: 1)
        case (_, _): self.init(committed.operation, following: committed.followers, about: row, as: form)
        }
    }

    /// - Parameter followers: see ``CommittedOperation/followers``.
    package init(
        _ operation: Operation, following followers: [UserName] = [], about row: Message?, as form: ContentColumns.Form
    ) {
        switch (operation.action, form) {
        case (.send(let content), .whole): self.init(kind: .send, text: content.stored, subjects: followers)
        case (.send(let content), .apart):
            self.init(kind: .send, target: content.replyTo, text: content.text, mentions: content.mentions)
        // The whole content that the message has then, so that a repair of the row needs no other operation. Empty data says
        // that the edit removes the data.
        case (.edit(let id, let edit), .whole):
            var content = (row?.content ?? "").edited(by: edit)
            if edit.data?.isEmpty == true { content.data = .empty }
            self.init(kind: .edit, target: id, text: content.stored)
        // The whole content, too.
        case (.grow(let id, .close(let ending)), _):
            var content = row?.content ?? ""
            content.growth = ending.map(Growth.ended)
            self.init(kind: .close, target: id, text: content.stored)
        case (.edit(let id, let edit), .apart):
            let content = (row?.content ?? "").edited(by: edit)
            self.init(kind: .edit, target: id, text: content.text, mentions: content.mentions)
        case (let action, _): self.init(action, of: operation, about: row)
        }
    }

    /// The columns of an action without a content.
    private init(_ action: RoomAction, of operation: Operation, about row: Message?) {
        switch action {
        case .send, .edit, .grow(_, .close): preconditionFailure("\(action) has a content")
        case .grow(let id, .append(let text, let size)):
            self.init(kind: .append, target: id, text: text, value: Int64(size))
        case .delete(let id):
            if case .deleted(_, let author)? = operation.deed(to: row) {
                self.init(kind: .remove, target: id, subjects: [author])
            } else {
                self.init(kind: .delete, target: id)
            }
        case .react(let id, let emoji, .on): self.init(kind: .react, target: id, text: emoji)
        case .react(let id, let emoji, .off): self.init(kind: .unreact, target: id, text: emoji)
        case .summarize(let id, let summary): self.init(kind: .summarize, target: id, text: summary?.stored)
        case .moderate(let moderation): self.init(moderation)
        case .join: self.init(kind: .join)
        case .leave: self.init(kind: .leave)
        case .settings(let change): self.init(kind: .settings, text: change.switches, value: change.pin)
        case .create(.open(_, let title)): self.init(kind: .createOpen, text: title?.description)
        case .create(.private(let people, let title)):
            self.init(kind: .createPrivate, text: title?.description, mentions: Mentioned(people))
        case .create(.direct(let people)): self.init(kind: .createDirect, mentions: Mentioned(people))
        }
    }

    private init(_ moderation: Moderation) {
        switch moderation {
        case .mute(let user, let span): self.init(kind: .mute, subjects: [user], value: span)
        case .unmute(let user): self.init(kind: .unmute, subjects: [user])
        case .kick(let user): self.init(kind: .kick, subjects: [user])
        case .ban(let user): self.init(kind: .ban, subjects: [user])
        case .unban(let user): self.init(kind: .unban, subjects: [user])
        case .slowMode(let span): self.init(kind: .slowMode, value: span)
        case .readOnly(let direction): self.init(kind: .readOnly, value: direction == .on ? 1 : 0)
        case .appoint(let user, let role): self.init(kind: .appoint, subjects: [user], value: Int64(role.rawValue))
        case .invite(let user): self.init(kind: .invite, subjects: [user])
        case .title(let title): self.init(kind: .title, text: title?.description)
        case .topic(let topic): self.init(kind: .topic, text: topic?.description)
        case .picture(let picture): self.init(kind: .picture, text: picture?.description)
        case .pin(let id, .last): self.init(kind: .pin, target: id)
        case .pin(let id, .before(let other)): self.init(kind: .pin, target: id, text: other.description, value: -1)
        case .pin(let id, .after(let other)): self.init(kind: .pin, target: id, text: other.description, value: 1)
        case .unpin(let id): self.init(kind: .unpin, target: id)
        }
    }
}

extension OperationColumns {
    /// Returns the action in a room; `nil` if the columns contradict each other.
    package func action(in room: RoomName) -> RoomAction? {
        switch (kind, target, text) {
        case (.send, let reply, let text?): content(text, answering: reply).map(RoomAction.send)
        case (.edit, let id?, let text?): content(text, answering: nil).map { .edit(id, ContentEdit(to: $0)) }
        case (.append, let id?, let text?): value.map { .grow(id, .append(text, at: Int($0))) }
        case (.close, let id?, let text?): content(text, answering: nil).map { .grow(id, .close($0.growth?.ending)) }
        case (.delete, let id?, _), (.remove, let id?, _): .delete(id)
        case (.react, let id?, let emoji?): .react(id, emoji: emoji, .on)
        case (.unreact, let id?, let emoji?): .react(id, emoji: emoji, .off)
        case (.summarize, let id?, nil): .summarize(id, nil)
        case (.summarize, let id?, let text?): ThreadSummary(stored: text).map { .summarize(id, $0) }
        case (.join, _, _): .join
        case (.leave, _, _): .leave
        case (.settings, _, _): SettingsChange(pin: value, switches: text ?? "").map(RoomAction.settings)
        default: newRoom(room).map(RoomAction.create) ?? moderation.map(RoomAction.moderate)
        }
    }

    private func content(_ text: String, answering reply: MessageID?) -> MessageContent? {
        ContentColumns(text: text, reply: reply, mentions: MentionText.encoding(mentions)).content
    }

    private func newRoom(_ room: RoomName) -> NewRoom? {
        switch (kind, text, text.flatMap(RoomTitle.init(known:))) {
        case (.createOpen, nil, nil) where room.kind == .open: .open(room)
        case (.createOpen, _?, let title?) where room.kind == .open: .open(room, title: title)
        case (.createPrivate, nil, nil) where !mentions.everyone: .private(people: mentions.people)
        case (.createPrivate, _?, let title?) where !mentions.everyone: .private(people: mentions.people, title: title)
        case (.createDirect, _, _) where !mentions.everyone: .direct(people: mentions.people)
        default: nil
        }
    }

    private var moderation: Moderation? {
        switch (kind, subject, value) {
        case (.mute, let user?, let span?) where (1...Moderation.longestMute).contains(span): .mute(user, for: span)
        case (.unmute, let user?, _): .unmute(user)
        case (.kick, let user?, _): .kick(user)
        case (.ban, let user?, _): .ban(user)
        case (.unban, let user?, _): .unban(user)
        case (.slowMode, _, let span?) where (0...Moderation.slowestMode).contains(span): .slowMode(span)
        case (.readOnly, _, let isOn?): .readOnly(isOn == 1 ? .on : .off)
        case (.appoint, let user?, let role?): Int(exactly: role).flatMap(Role.init).map { .appoint(user, $0) }
        case (.invite, let user?, _): .invite(user)
        case (.title, _, _): text == nil ? .title(nil) : text.flatMap(RoomTitle.init(known:)).map { .title($0) }
        case (.topic, _, _): text == nil ? .topic(nil) : text.flatMap(RoomTopic.init(known:)).map { .topic($0) }
        case (.picture, _, _): text == nil ? .picture(nil) : text.flatMap(Picture.init).map { .picture($0) }
        case (.pin, _, _): target.flatMap { id in pinPlace.map { .pin(id, $0) } }
        case (.unpin, _, _): target.map { .unpin($0) }
        default: nil
        }
    }

    private var pinPlace: PinPlace? {
        switch (value, text.flatMap(MessageID.init)) {
        case (nil, _): .last
        case (-1, let other?): .before(other)
        case (1, let other?): .after(other)
        default: nil
        }
    }

    /// The column of ``subjects``; `nil` for none.
    package var subjectText: String? { MentionText.encoding(Mentioned(subjects)) }

    /// See ``CommittedOperation/followers``.
    package var followers: [UserName] { kind == .send ? subjects : [] }

    private var subject: UserName? { subjects.count == 1 ? subjects[0] : nil }

    /// See ``CommittedOperation/changesNothing``.
    package var changesNothing: Bool { (kind == .join || kind == .leave) && value == 1 }

    /// Returns the entry in a room's audit log; `nil` if the operation has none.
    package func deed(in room: RoomName) -> AuditEntry.Deed? {
        switch (kind, target, subject) {
        case (.remove, let id?, let author?): .deleted(id, of: author)
        default: newRoom(room).map(AuditEntry.Deed.created) ?? moderation.map(AuditEntry.Deed.moderated)
        }
    }
}
