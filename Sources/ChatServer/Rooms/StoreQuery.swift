package import ChatRoom
package import ChatWire
package import RoomStore

/// A shard's query to the store.
package enum StoreQuery: Sendable {
    /// A room's own query, in this epoch.
    case reading(RoomName, RoomState.Query, of: Epoch)
    case held(RoomHeldQuery)
    case page(PageQuery)
    case audit(AuditQuery)
    case membersPage(MembersPageQuery)
    case membership(MembershipQuery)
    case rows(RowsQuery)
    case members(RoomMembersQuery)
    /// Queries whether another server had the same rows at this revision.
    case comparison(RoomName, Revision, fingerprint: UInt64)

    var room: RoomName {
        switch self {
        case .reading(let room, _, _), .comparison(let room, _, _): room
        case .held(let query): query.room
        case .page(let query): query.room
        case .audit(let query): query.room
        case .membersPage(let query): query.room
        case .membership(let query): query.room
        case .rows(let query): query.room
        case .members(let query): query.room
        }
    }

    /// The connection that asked; `nil` for a room's own query.
    package var reader: Reader? {
        switch self {
        case .held(let query): query.reader
        case .page(let query): query.reader
        case .audit(let query): query.reader
        case .membersPage(let query): query.reader
        case .membership(let query): query.reader
        case .reading, .rows, .members, .comparison: nil
        }
    }
}

extension StoreQuery {
    /// The answer of a store that was not asked.
    package func failed(_ error: WireError) -> StoreAnswer {
        switch self {
        case .reading(let room, _, let epoch): .reading(room, of: epoch, .failure(error))
        case .held(let query): .held(query, .failure(error))
        case .page(let query): .page(query, .failure(error))
        case .audit(let query): .audit(query, .failure(error))
        case .membersPage(let query): .membersPage(query, .failure(error))
        case .membership(let query): .membership(query, .failure(error))
        case .rows(let query): .rows(query, .failure(error))
        case .members(let query): .members(query, .failure(error))
        case .comparison(let room, let revision, _): .comparison(room, revision, agrees: true)
        }
    }
}

/// The store's answer to a ``StoreQuery``.
package enum StoreAnswer: Sendable {
    /// The reading is `nil` if the store has another epoch than the query.
    case reading(RoomName, of: Epoch, Result<RoomReading?, WireError>)
    /// The reading is `nil` if the store has another epoch than the query.
    case held(RoomHeldQuery, Result<HeldReading?, WireError>)
    case page(PageQuery, Result<ListPage<Message>?, WireError>)
    case audit(AuditQuery, Result<AuditPage, WireError>)
    case membersPage(MembersPageQuery, Result<MembersPageReading, WireError>)
    /// The reading is `nil` for a user who is neither a member nor invited.
    case membership(MembershipQuery, Result<MembershipReading?, WireError>)
    /// The page is `nil` if the store has another epoch than the query.
    case rows(RowsQuery, Result<ListPage<Message>?, WireError>)
    /// The reading is `nil` if the store has another epoch than the query.
    case members(RoomMembersQuery, Result<MembersReading?, WireError>)
    case comparison(RoomName, Revision, agrees: Bool)

    package var room: RoomName {
        switch self {
        case .reading(let room, _, _), .comparison(let room, _, _): room
        case .held(let query, _): query.room
        case .page(let query, _): query.room
        case .audit(let query, _): query.room
        case .membersPage(let query, _): query.room
        case .membership(let query, _): query.room
        case .rows(let query, _): query.room
        case .members(let query, _): query.room
        }
    }

    /// The connection that asked; `nil` for a room's own query.
    package var reader: Reader? {
        switch self {
        case .held(let query, _): query.reader
        case .page(let query, _): query.reader
        case .audit(let query, _): query.reader
        case .membersPage(let query, _): query.reader
        case .membership(let query, _): query.reader
        case .reading, .rows, .members, .comparison: nil
        }
    }

    /// The same answer to a reader whose token grants this role.
    package func granted(_ role: Role) -> StoreAnswer {
        switch self {
        case .page(var query, let result):
            query.visitor = query.visitor.granted(role)
            return .page(query, result)
        case .audit(var query, let result):
            query.visitor = query.visitor.granted(role)
            return .audit(query, result)
        case .membersPage(var query, let result):
            query.visitor = query.visitor.granted(role)
            return .membersPage(query, result)
        case .membership(var query, let result):
            query.visitor = query.visitor.granted(role)
            return .membership(query, result)
        case .reading, .held, .rows, .members, .comparison:
            return self
        }
    }
}

/// A query for the rows that a returning connection holds.
package struct RoomHeldQuery: Sendable {
    package let room: RoomName
    package let reader: Reader
    package let ticket: Ticket
    package let query: HeldQuery
    /// The epoch that the reading must be of.
    package let epoch: Epoch
}

/// A connection's query for a page of messages.
package struct PageQuery: Sendable {
    package let room: RoomName
    package let reader: Reader
    package fileprivate(set) var visitor: Visitor
    package let ref: UInt64
    package let place: PagePlace
    package let limit: Int
    /// The epoch that the page must be of.
    package var epoch: Epoch
    /// The remaining attempts. An attempt fails if the room changes too much meanwhile, or the epoch changes.
    var tries = 3
}

/// A connection's query for a page of the audit log.
package struct AuditQuery: Sendable {
    package let room: RoomName
    package let reader: Reader
    package fileprivate(set) var visitor: Visitor
    package let ref: UInt64
    package let before: Revision
    package let limit: Int
}

/// A connection's query for people who belong to a room.
package struct MembersPageQuery: Sendable {
    package let room: RoomName
    package let reader: Reader
    package fileprivate(set) var visitor: Visitor
    package let ref: UInt64
    package let search: MembersSearch
}

/// People who belong to a room and match a search, and the number of people who were looked at.
package struct MembersPageReading: Sendable {
    package var people: [RoomMember] = []
    /// The name after which the search goes on; `nil` if there are no more people.
    package var after: UserName?
    package var examined = 0
}

/// A room's query for some of its messages, for a derived list.
package struct RowsQuery: Sendable {
    package let room: RoomName
    package let list: RoomList
    package let sorts: [UInt64]
    /// The epoch that the rows must be of.
    package let epoch: Epoch
}

/// A room's query for people who belong to it, for the list of its members.
package struct RoomMembersQuery: Sendable {
    package let room: RoomName
    package let number: UInt64
    package let query: MembersQuery
    /// The epoch that the reading must be of.
    package let epoch: Epoch
}

/// A connection's query for its user's membership of a room that the user marks as read.
package struct MembershipQuery: Sendable {
    package let room: RoomName
    package let reader: Reader
    package fileprivate(set) var visitor: Visitor
    package let ticket: Ticket
    /// The epoch that the reading must be of.
    package let epoch: Epoch
}

extension MembershipQuery {
    /// The answer with a reading of the store.
    package func answer(_ reading: MembershipReading?, isOfEpoch: Bool) -> Result<MembershipReading?, WireError> {
        isOfEpoch ? .success(reading) : .failure(.otherHistory)
    }
}

extension AuditQuery {
    /// The answer with a page of the store.
    ///
    /// - Parameter standing: the user's, read after the page. The room may know older rules than those of the page.
    func answer(_ page: AuditPage, for standing: Standing) -> Result<AuditPage, WireError> {
        visitor.refusal(.moderate, in: room, with: standing).map { .failure($0) } ?? .success(page)
    }
}

extension MembersPageQuery {
    /// The most people who are looked at for one answer, and the number of those who are read at a time.
    private static let most = 10_000, step = 500

    /// Reads the members of the room, in the order of their names, until enough match or enough were looked at.
    package func reading(in store: any RoomStore) throws(RoomStoreError) -> MembersPageReading {
        let matches = search.matches
        var reading = MembersPageReading(after: search.after)
        while reading.examined < Self.most {
            let step = search.text.isEmpty ? search.limit : Self.step
            let members = try store.members(of: room, after: reading.after, limit: step)
            let profiles =
                search.text.isEmpty ? [:] : try store.reachableProfiles(of: members.map(\.user)).rows
            for member in members {
                reading.after = member.user
                reading.examined += 1
                guard matches(member.user, profiles[member.user]?.profile.name) else { continue }
                reading.people.append(member)
                if reading.people.count == search.limit { return reading }
            }
            if members.count < step {
                reading.after = nil
                return reading
            }
        }
        return reading
    }

    /// The answer with a page of the store.
    ///
    /// - Parameter standing: the user's, read after the page. The room may know older rules than those of the page.
    func answer(_ page: MembersPageReading, for standing: Standing) -> Result<MembersPageReading, WireError> {
        visitor.refusal(.read, in: room, with: standing).map { .failure($0) } ?? .success(page)
    }
}

extension PageQuery {
    /// The answer with a page of the store; `nil` if the store has another epoch.
    ///
    /// - Parameters:
    ///   - page: `nil` if the place that it was to be around is not there.
    ///   - standing: the user's, read after the page. The room may know older rules than those of the page.
    package func answer(
        _ page: ListPage<Message>?, for standing: Standing, isOfEpoch: Bool
    ) -> Result<ListPage<Message>?, WireError> {
        guard isOfEpoch else { return .success(nil) }
        if let refusal = visitor.refusal(.read, in: room, with: standing) { return .failure(refusal) }
        return page.map { .success($0) } ?? .failure(.noSuchPlace(place, in: room))
    }
}
