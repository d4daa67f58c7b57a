/// The part of a message that a digest covers.
package struct RowStamp: Equatable, Sendable {
    package let id: MessageID
    package let sort: UInt64
    package let rev: Revision

    package init(id: MessageID, sort: UInt64, rev: Revision) {
        self.id = id
        self.sort = sort
        self.rev = rev
    }

    package init(_ row: Message) {
        self.init(id: row.id, sort: row.sort, rev: row.rev)
    }
}
