import ChatRoom
import ChatWire
import Locking

/// Keeps what users have of what they may have, across their connections; and what that is, which may change while the
/// server runs.
package final class Keeper: Sendable {
    private struct Books: Sendable {
        var allowances: Allowances
        var connections: [UserName: Int] = [:]
        var rooms = RateBook<UserName>()
    }

    private let books: Guarded<Books>
    let hits = Family(HeldLimit.allCases.map(\.rawValue))

    package init(_ allowances: Allowances = Allowances()) {
        books = Guarded(Books(allowances: allowances))
    }

    /// What holds by now. Whoever has more already keeps it.
    var allowances: Allowances { books.withLock { $0.allowances } }

    func allow(_ allowances: Allowances) {
        books.withLock { $0.allowances = allowances }
    }

    /// Somebody was held to a limit.
    func hit(_ limit: HeldLimit) {
        hits.count(limit.rawValue)
    }

    // MARK: - Rooms

    /// The operation, which may be about to make a room, with what its author may by now.
    func founding(_ operation: Operation) -> Operation {
        var operation = operation
        let (author, time) = (operation.author, operation.time)
        operation.founding = books.withLock { books in
            guard let rate = books.allowances.rooms else { return .allowed }
            return books.rooms.take(author, at: time, rate).map { .refused(wait: $0) } ?? .counted
        }
        return operation
    }

    /// What became of an operation; `nil` if it was not committed.
    func settle(_ operation: Operation, _ outcome: CommitOutcome?) {
        switch (operation.founding, outcome) {
        case (.refused, .refused(.tooManyRooms)): hit(.roomRate)
        case (.counted, .committed(1, _)), (.refused, _), (.allowed, _): break
        case (.counted, _):
            // The room was there, or is not there now.
            books.withLock { books in
                if let rate = books.allowances.rooms { books.rooms.giveBack(operation.author, rate) }
            }
        }
    }

    // MARK: - Connections

    /// Counts one more connection of the user's, unless that would be too many.
    func enter(_ user: UserName) throws(WireError) {
        let most = books.withLock { books -> Int? in
            let count = books.connections[user] ?? 0
            if let most = books.allowances.connections, count >= most { return most }
            books.connections[user] = count + 1
            return nil
        }
        if let most { throw .tooManyConnections(most) }
    }

    /// One of the user's connections has ended.
    func leave(_ user: UserName) {
        books.withLock { books in
            let count = books.connections[user] ?? 0
            books.connections[user] = count > 1 ? count - 1 : nil
        }
    }
}
