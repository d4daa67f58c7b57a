import ChatRoom
import ChatWire
import Locking

/// Keeps what users have of what they may have, across their connections; and what that is, which may change while the
/// server runs.
package final class Quotas: Sendable {
    fileprivate struct Books: Sendable {
        var allowances: Allowances
        var connections: [UserName: Int] = [:]
        var rooms = RateBook<UserName>()
        var pages = RateBook<Requester>()
        var bytes = RateBook<Writer>()
        var foundings: [Founder: Founding] = [:]
        /// Rooms that are there: whoever goes on to write in one takes nothing. Forgotten all at once when they are many.
        var known: Set<RoomName> = []
    }

    /// A user who is about to make a room.
    fileprivate struct Founder: Hashable, Sendable {
        let author: UserName
        let room: RoomName
    }

    /// The operations of a founder in one room that counts against the rate, until the room is known to be there.
    fileprivate struct Founding: Sendable {
        var underWay = 1
        var hasMadeIt = false
    }

    /// A user or a room whose stored bytes are counted.
    fileprivate enum Writer: Hashable, Sendable {
        case user(UserName)
        case room(RoomName)
    }

    fileprivate static let mostKnown = 4_096

    private let books: Guarded<Books>
    let hits = Family(HeldLimit.allCases.map(\.rawValue))

    package init(_ allowances: Allowances = Allowances()) {
        books = Guarded(Books(allowances: allowances))
    }

    /// The allowances that hold now. A user who has more already keeps it.
    var allowances: Allowances { books.withLock { $0.allowances } }

    func allow(_ allowances: Allowances) {
        books.withLock { $0.allowances = allowances }
    }

    /// Counts a user's hit of a limit.
    func hit(_ limit: HeldLimit) {
        hits.count(limit.rawValue)
    }

    // MARK: - Rooms

    /// Returns the operation with its author's allowance to make the room, if that is not there yet.
    func founding(_ operation: Operation, of room: RoomName) -> Operation {
        var operation = operation
        let founder = Founder(author: operation.author, room: room)
        operation.founding = books.withLock { [time = operation.time] books in
            guard let rate = books.allowances.rooms, !books.known.contains(room) else { return .allowed }
            if books.foundings[founder] != nil {
                books.foundings[founder]?.underWay += 1
                return .counted
            }
            if let wait = books.rooms.consume(founder.author, at: time, rate) { return .refused(wait: wait) }
            books.foundings[founder] = Founding()
            return .counted
        }
        return operation
    }

    /// Closes an operation in a room with its outcome; `nil` if it was not committed.
    func complete(_ operation: Operation, in room: RoomName, _ outcome: CommitOutcome?) {
        if case .refused = operation.founding, case .refused(.tooManyRooms) = outcome { hit(.roomRate) }
        guard operation.founding != .allowed else { return }
        books.withLock { books in
            if case .committed = outcome { books.remember(room) }
            if case .counted = operation.founding {
                books.complete(Founder(author: operation.author, room: room), hasMadeIt: outcome.makesRoom)
            }
        }
    }

    // MARK: - Pages

    /// A client that asks without a connection that would be counted.
    enum Requester: Hashable, Sendable {
        case user(UserName)
        case address(String)
    }

    /// Subtracts a page from the requester's rate, unless they have had too many.
    func consumePage(of requester: Requester, at time: Milliseconds) throws(WireError) {
        let wait = books.withLock { books in
            books.allowances.pages.flatMap { books.pages.consume(requester, at: time, $0) }
        }
        guard let wait else { return }
        hit(.pageRate)
        throw .tooManyPages(wait)
    }

    /// Charges the requester for a page of so many bytes.
    func charge(_ bytes: Int, to requester: Requester, at time: Milliseconds) {
        books.withLock { books in
            guard let rate = books.allowances.pages, bytes > Allowances.pageBytes else { return }
            let more = bytes - Allowances.pageBytes
            books.pages.charge(requester, more, of: Allowances.pageBytes, at: time, rate)
        }
    }

    // MARK: - Bytes

    /// Returns the reason why a user must not write in a room now: they, or the room, have too much in the last hour.
    func refusal(
        of user: UserName, writingIn room: RoomName, at time: Milliseconds
    ) -> (HeldLimit, WireError)? {
        if let refusal = refusal(of: user, at: time) { return refusal }
        return books.withLock { books in
            if let rate = books.allowances.roomBytes, let wait = books.bytes.consume(.room(room), 0, at: time, rate) {
                return (.roomBytes, .tooManyBytes(in: room, wait))
            }
            return nil
        }
    }

    /// Returns the reason why a user must not write anything now: they have written too much in the last hour.
    func refusal(of user: UserName, at time: Milliseconds) -> (HeldLimit, WireError)? {
        books.withLock { books in
            // Nothing is charged here: only what is committed counts.
            guard let rate = books.allowances.userBytes, let wait = books.bytes.consume(.user(user), 0, at: time, rate)
            else { return nil }
            return (.userBytes, .tooManyBytes(wait))
        }
    }

    /// Charges people for their changes that were stored.
    func charge(_ changes: [some PersonalChange], at time: Milliseconds) {
        books.withLock { books in
            guard let rate = books.allowances.userBytes else { return }
            for change in changes {
                let bytes = Allowances.operationBytes + change.size
                books.bytes.charge(.user(change.user), bytes, of: 1, at: time, rate)
            }
        }
    }

    /// Charges authors and rooms for the operations that were committed.
    func charge(_ operations: [(room: RoomName, operation: Operation)], at time: Milliseconds) {
        books.withLock { books in
            for (room, operation) in operations where operation.requester == .user {
                let bytes = Allowances.operationBytes + operation.bytes
                if let rate = books.allowances.userBytes {
                    books.bytes.charge(.user(operation.author), bytes, of: 1, at: time, rate)
                }
                if let rate = books.allowances.roomBytes {
                    books.bytes.charge(.room(room), bytes, of: 1, at: time, rate)
                }
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

extension Quotas.Books {
    fileprivate mutating func remember(_ room: RoomName) {
        if known.count >= Quotas.mostKnown { known = [] }
        known.insert(room)
    }

    /// Refunds the quota when none of the operations under way has made the room.
    fileprivate mutating func complete(_ founder: Quotas.Founder, hasMadeIt: Bool) {
        guard var founding = foundings[founder] else { return }
        founding.underWay -= 1
        founding.hasMadeIt = founding.hasMadeIt || hasMadeIt
        foundings[founder] = founding.underWay > 0 ? founding : nil
        guard founding.underWay == 0, !founding.hasMadeIt, let rate = allowances.rooms else { return }
        rooms.refund(founder.author, rate)
    }
}

extension CommitOutcome? {
    fileprivate var makesRoom: Bool {
        switch self {
        case .committed(1, _): true
        // Each attempt counts the rooms of others, and tells something of them.
        case .refused(.tooManyGiven), .refused(.tooManyMemberships): true
        case .committed, .repeated, .conflict, .refused, nil: false
        }
    }
}
