import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

/// A commit's statements for messages and tombstones.
struct RowStatements: ~Copyable {
    private let message: Statement
    private let authorOfMessage: Statement
    private let lastAuthors: Statement
    private let send: Statement
    private let add: Statement
    private let setContent: Statement
    private let setReactions: Statement
    private let addMention: Statement
    private let removeMentions: Statement
    private let remove: Statement
    private let addTombstone: Statement
}

extension RowStatements {
    init(_ connection: borrowing Connection) throws(RoomStoreError) {
        self.init(
            message: try Statement(.message, on: connection),
            authorOfMessage: try Statement(.authorOfMessage, on: connection),
            lastAuthors: try Statement(.lastAuthors, on: connection),
            send: try Statement(.operation, on: connection),
            add: try Statement(.addMessage, on: connection),
            setContent: try Statement(.setContent, on: connection),
            setReactions: try Statement(.setReactions, on: connection),
            addMention: try Statement(.addMention, on: connection),
            removeMentions: try Statement(.removeMentions, on: connection),
            remove: try Statement(.removeMessage, on: connection),
            addTombstone: try Statement(.addTombstone, on: connection)
        )
    }

    /// Returns a message; `nil` if it was deleted.
    borrowing func find(
        _ id: MessageID, at sort: UInt64, in room: Int64, named name: RoomName, _ rule: DamagedRows
    ) throws(RoomStoreError) -> Message? {
        message.bind(1, room)
        message.bind(2, sort)
        message.bind(3, id)
        do throws(RoomStoreError) {
            return try message.first { (row) throws(RoomStoreError) in try row.message().0 }
        } catch {
            guard case .damaged = error, rule == .served else { throw error }
        }
        let sent = try send.send(at: sort, in: room, named: name)
        return Message(damaged: id, section: .history, sort: sort, rev: sort, sent: sent.map { ($0.author, $0.time) })
    }

    /// Returns the name of a message's author, which may be damaged; `nil` if the message is not there.
    borrowing func author(of sort: UInt64, in room: Int64) throws(RoomStoreError) -> String? {
        authorOfMessage.bind(1, room)
        authorOfMessage.bind(2, sort)
        return try authorOfMessage.first { (row) throws(RoomStoreError) in try row.text(0) }
    }

    /// Returns what the row of a thread's root is to say; `nil` if there are no replies.
    borrowing func summary(of thread: StoredRoom) throws(RoomStoreError) -> ThreadSummary? {
        guard let id = thread.id, thread.count > 0 else { return nil }
        lastAuthors.bind(1, id)
        lastAuthors.bind(2, Int64(ThreadSummary.window))
        let last = try lastAuthors.all { (row) throws(RoomStoreError) in
            (author: UserName(known: try row.text(0)), time: try row.time(1))
        }
        return ThreadSummary(count: thread.count, last: last)
    }

    /// - Parameters:
    ///   - old: the row before the change.
    ///   - inserted: how many messages came into the list before.
    borrowing func write(
        _ change: RowChange, at revision: Revision, replacing old: Message?, after inserted: Int, in room: Int64
    ) throws(RoomStoreError) {
        switch change {
        case .inserted(let row, _, _): try insert(row, after: inserted, in: room)
        case .reloaded(let row): try reload(row, replacing: old, in: room)
        case .reconfigured(let row): try reconfigure(row, in: room)
        case .deleted:
            guard let old else {
                preconditionFailure("room \(room), revision \(revision): deleted a row that was not there")
            }
            try delete(old, at: revision, in: room)
        case .ruled, .joined, .left, .settings, .affiliated, .created, .nothing: break
        }
    }

    private borrowing func insert(_ row: Message, after inserted: Int, in room: Int64) throws(RoomStoreError) {
        add.bind(1, room)
        add.bind(2, row.sort)
        add.bind(3, row.id)
        add.bind(4, row.author.description)
        add.bind(5, row.time)
        let content = row.content.stored
        add.bind(6, content)
        add.bind(7, Int64(inserted + 1))
        add.bind(8, row.sum(of: content, as: inserted + 1, in: room).stored)
        try add.run()
        try mention(row, in: room)
    }

    private borrowing func reload(
        _ row: Message, replacing old: Message?, in room: Int64
    ) throws(RoomStoreError) {
        if let old, old.mentions != row.mentions {
            try unmention(old, in: room)
            try mention(row, in: room)
        }
        setContent.bind(1, room)
        setContent.bind(2, row.sort)
        setContent.bind(3, row.rev)
        setContent.bind(4, row.content.stored)
        setContent.bind(5, row.edited)
        try setContent.run()
    }

    private borrowing func mention(_ row: Message, in room: Int64) throws(RoomStoreError) {
        for mention in row.mentionRows {
            addMention.bind(1, room)
            addMention.bind(2, mention.user)
            addMention.bind(3, mention.sort)
            addMention.bind(4, mention.author)
            try addMention.run()
        }
    }

    private borrowing func unmention(_ row: Message, in room: Int64) throws(RoomStoreError) {
        // A damaged row does not say whom it mentions.
        guard row.isDamaged || !row.mentions.isEmpty else { return }
        removeMentions.bind(1, room)
        removeMentions.bind(2, row.sort)
        try removeMentions.run()
    }

    private borrowing func reconfigure(_ row: Message, in room: Int64) throws(RoomStoreError) {
        setReactions.bind(1, room)
        setReactions.bind(2, row.sort)
        setReactions.bind(3, row.rev)
        setReactions.bind(4, LightBytes.encoding(row.light))
        try setReactions.run()
    }

    private borrowing func delete(_ row: Message, at revision: Revision, in room: Int64) throws(RoomStoreError) {
        try unmention(row, in: room)
        remove.bind(1, room)
        remove.bind(2, row.sort)
        try remove.run()
        addTombstone.bind(1, room)
        addTombstone.bind(2, revision)
        addTombstone.bind(3, row.id)
        addTombstone.bind(4, row.sort)
        try addTombstone.run()
    }
}

extension Message {
    /// The sum of its row when it is inserted.
    fileprivate func sum(of content: String, as ordinal: Int, in room: Int64) -> RowSum {
        var sum = RowSum()
        sum.add(sort)
        sum.add(id)
        sum.add(sort)
        sum.add(sort)
        sum.add(author.description)
        sum.add(time)
        sum.add(content)
        for _ in ["edited", "reply", "reactions", "mentions"] { sum.addNull() }
        sum.add(room)
        sum.add(Int64(ordinal))
        return sum
    }
}
