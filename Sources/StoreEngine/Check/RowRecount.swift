import ChatRoom
import ChatWire

/// One message, as the operations decide it.
struct RowRecount {
    let id: MessageID
    let sort: UInt64
    let author: UserName
    let time: Milliseconds
    /// The sent content without its text. An edit keeps some of it.
    private var origin: MessageContent
    /// The content of an open message, which no operation has as a whole; `nil` if it is not open, or not known.
    private var open: MessageContent?
    private let sent: Content
    /// `nil` if an edit that is forgotten may have the last word.
    private(set) var content: Content?
    private var changed: Touch
    private var reloaded: Touch
    /// The times of the edits.
    private var edits: [Revision: Milliseconds] = [:]
    /// All reactions, if no operation about the message is forgotten.
    private var reactions: [Reaction] = []
    /// The last summary of its thread; `nil` if that may be forgotten.
    private var thread: ThreadSummary?? = .some(nil)
    /// The reactions that were set or removed since operations were forgotten.
    private var touched: [(emoji: String, user: UserName, stands: Bool)] = []
    /// Operations up to this revision may be forgotten; 0 for none.
    private(set) var gap: Revision = 0

    /// A content, by the operation that has it.
    struct Content {
        let revision: Revision
        /// `nil` where the operation has the content, and this recount has not.
        let digest: Int?
        let mentions: Mentioned
        let isOpen: Bool

        init(unknown mentions: Mentioned, at revision: Revision) {
            (self.revision, self.mentions, digest, isOpen) = (revision, mentions, nil, false)
        }

        init(_ content: MessageContent, at revision: Revision) {
            self.revision = revision
            mentions = content.mentions
            isOpen = content.growth == .open
            var (bytes, hasher) = (content.stored, Hasher())
            bytes.withUTF8 { bytes in unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
            digest = hasher.finalize()
        }
    }

    /// The revisions that may have touched the row last.
    private struct Touch {
        /// The last one that did; `nil` if that is forgotten.
        var certain: Revision?
        /// Later ones, which changed nothing if the row was already so.
        var possible: [Revision] = []

        var last: Revision? { possible.last ?? certain }

        mutating func set(_ revision: Revision) { self = Touch(certain: revision) }

        func allows(_ revision: Revision, forgotten: ClosedRange<Revision>) -> Bool {
            revision == certain || possible.contains(revision) || certain == nil && forgotten.contains(revision)
        }
    }

    init(_ operation: Operation, _ content: MessageContent, at revision: Revision) {
        (id, sort, author, time) = (operation.command, revision, operation.author, operation.time)
        var origin = content
        origin.text = ""
        self.origin = origin
        sent = Content(content, at: revision)
        self.content = sent
        open = content.growth == .open ? content : nil
        (changed, reloaded) = (Touch(certain: revision), Touch(certain: revision))
    }

    /// Notes that edits and reactions up to a revision may be forgotten.
    mutating func forget(upTo gap: Revision) {
        guard gap > self.gap, gap > sort else { return }
        self.gap = gap
        (content, open) = (nil, nil)
        (changed, reloaded) = (Touch(), Touch())
        (edits, reactions, touched) = ([:], [], [])
        thread = nil
    }

    mutating func edit(_ edit: ContentEdit, at revision: Revision, _ time: Milliseconds) {
        // A stored edit has the whole content: data that it does not have is gone.
        var edited = origin.edited(by: edit)
        edited.data = edit.data?.isEmpty == true ? nil : edit.data
        // Where operations are forgotten, an open message may have been closed. The stored edit knows.
        let isUncertain = origin.growth == .open && gap > 0
        let new = isUncertain ? Content(unknown: edited.mentions, at: revision) : Content(edited, at: revision)
        defer {
            if origin.growth == .open { open = isUncertain ? nil : edited }
            content = new
        }
        guard let before = content?.digest, let after = new.digest else {
            edits[revision] = time
            reloaded.possible.append(revision)
            changed.possible.append(revision)
            return
        }
        guard before != after else { return }
        edits[revision] = time
        reloaded.set(revision)
        changed.set(revision)
    }

    mutating func grow(by step: GrowthStep, at revision: Revision) {
        let grown = open?.grown(by: step)
        if case .close(let ending) = step { origin.growth = ending.map(Growth.ended) }
        content = grown.map { Content($0, at: revision) }
        if grown == nil, case .close = step { content = Content(unknown: origin.mentions, at: revision) }
        open = grown?.growth == .open ? grown : nil
        reloaded.set(revision)
        changed.set(revision)
    }

    mutating func react(_ emoji: String, by user: UserName, stands: Bool, at revision: Revision) {
        guard gap > 0 else {
            if reactions.set(emoji, by: user, stands: stands) { changed.set(revision) }
            return
        }
        guard let place = touched.firstIndex(where: { $0.emoji.hasBytes(of: emoji) && $0.user == user }) else {
            touched.append((emoji, user, stands))
            return changed.possible.append(revision)
        }
        guard touched[place].stands != stands else { return }
        touched[place].stands = stands
        changed.set(revision)
    }

    mutating func summarize(_ summary: ThreadSummary?, at revision: Revision) {
        thread = .some(summary)
        changed.set(revision)
    }

    // MARK: - What is right

    /// The right row: where operations are forgotten, what the stored one says, as far as it is possible.
    func right(for stored: StoredMessage?) -> RightRow {
        let message = stored?.message
        let forgotten = sort...max(sort, gap)
        var right = RightRow(
            sort: sort, content: nil, edited: nil, changed: sort, reloaded: reloaded.last ?? sort,
            light: Message.Light(reactions: reactions), ordinal: stored?.ordinal ?? 0)
        if let stored, message != nil, reloaded.allows(stored.reloaded, forgotten: forgotten) {
            right.reloaded = stored.reloaded
        }
        right.edited = edited(by: right.reloaded, message)
        right.content = content?.revision ?? (right.reloaded == sort || message == nil ? sort : nil)
        right.text = open?.stored
        right.light.thread = thread ?? message?.thread
        right.changed = max(right.reloaded, changed.last ?? sort)
        if let message, message.rev >= right.reloaded, changed.allows(message.rev, forgotten: forgotten) {
            right.changed = message.rev
        }
        if gap > 0 {
            right.light.reactions = message?.reactions ?? []
            for (emoji, user, stands) in touched { right.light.reactions.set(emoji, by: user, stands: stands) }
        }
        return right
    }

    /// Returns the time of the last edit up to a revision.
    private func edited(by revision: Revision, _ stored: Message?) -> Milliseconds? {
        if let time = edits[revision] { return time }
        guard sent.isOpen else { return revision == sort ? nil : stored?.edited ?? time }
        return edits.filter { $0.key <= revision }.max { $0.key < $1.key }?.value ?? (gap > 0 ? stored?.edited : nil)
    }

    /// Returns the differences, each as what is stored and what is right; `nil` for the same.
    func differences(of stored: StoredMessage, from right: RightRow) -> [String] {
        guard let message = stored.message else { return ["it cannot be read"] }
        var found: [String] = []
        func compare<Value: Equatable>(_ name: String, _ stored: Value, _ right: Value) {
            if stored != right { found.append("its \(name) is \(stored), and should be \(right)") }
        }
        compare("id", message.id, id)
        compare("author", message.author, author)
        compare("time", message.time, time)
        if let revision = right.content {
            let right = revision == sent.revision ? sent : content ?? sent
            let stored = Content(message.content, at: revision)
            if right.digest != nil, stored.digest != right.digest {
                found.append("its content is not that of revision \(revision)")
            }
        }
        if message.edited != right.edited { found.append("the time of its edit is not that of its operation") }
        compare("last change of the text", stored.reloaded, right.reloaded)
        compare("last change", message.rev, right.changed)
        if LightBytes.encoding(message.light) != LightBytes.encoding(right.light) {
            found.append("its reactions or replies are not those of its operations")
        }
        return found
    }

    /// The mentions that count, by the right content where that is known.
    func mentionRows(of right: RightRow, stored: Message?) -> [MentionRow] {
        let known = right.content.map { $0 == sent.revision ? sent : content ?? sent }
        let mentions = (known?.digest == nil ? stored?.mentions : nil) ?? known?.mentions ?? []
        return Message(
            id: id, section: .history, sort: sort, rev: sort, author: author, time: time,
            content: MessageContent("", mentions: mentions)
        ).mentionRows
    }
}

extension [Reaction] {
    /// Sets or removes a reaction, and returns whether that changed anything.
    @discardableResult
    fileprivate mutating func set(_ emoji: String, by user: UserName, stands: Bool) -> Bool {
        let place = firstIndex { $0.emoji.hasBytes(of: emoji) }
        guard let place else {
            if stands { append(Reaction(emoji: emoji, users: [user])) }
            return stands
        }
        guard self[place].users.contains(user) != stands else { return false }
        if stands { self[place].users.append(user) } else { self[place].users.removeAll { $0 == user } }
        if self[place].users.isEmpty { remove(at: place) }
        return true
    }
}
