package import ChatWire

// Access to the room.

extension RoomState {
    /// Puts out the followers that the rules no longer admit, and tells the others of changed rights.
    mutating func reevaluateAccess() -> [Effect] {
        access.reevaluate().map { change in
            switch change {
            case .send(let reader, let frame): return .send(reader, frame)
            case .end(let reader, let ended, let visit, let ending):
                if ended == .messages { putOut(reader) }
                return .end(reader, ended, visit: visit, ending)
            }
        }
    }

    mutating func updateGrant(_ reader: Reader, _ list: RoomList, _ grant: Role) -> [Effect] {
        access.updateGrant(reader, list, grant)
        if list == .messages {
            waiting.updateGrant(reader, grant)
        } else {
            for index in readRequests.indices where readRequests[index].reader == reader {
                readRequests[index].visitor = readRequests[index].visitor.granted(grant)
            }
        }
        return reevaluateAccess() + flush()
    }

    private mutating func putOut(_ reader: Reader) {
        readers[reader] = nil
        waiting.removeFallen(reader)
    }

    /// Returns the error for a visitor that lacks the role for a request; `nil` if it has the role, or if the rules or its
    /// standing are unknown.
    package func refusal(of visitor: Visitor, _ least: Role) -> WireError? {
        access.refusal(of: visitor, least: least)
    }

    /// Returns whether the rules and a user's standing are known. Nothing that was read for the user may be sent otherwise.
    package func knowsStanding(of user: UserName) -> Bool { access.knows(user) }

    mutating func runReadRequests() -> [Effect] {
        let due = readRequests
        readRequests = []
        var effects: [Effect] = []
        var isAsking = false
        for (reader, visitor, request, delay) in due {
            guard access.knows(visitor.user) else {
                readRequests.append((reader, visitor, request, delay))
                isAsking = true
                continue
            }
            if let refusal = refusal(of: visitor, request.least) {
                if mayRefuse(after: delay) {
                    effects.append(turnAway(reader, visitor, request, refusal))
                } else {
                    readRequests.append((reader, visitor, request, delay))
                }
                continue
            }
            guard allowance > 0 || request.list == nil else {
                readRequests.append((reader, visitor, request, delay))
                isServing = true
                continue
            }
            switch request {
            case .list(let list, _, _):
                allowance -= Self.listBytes
                _ = access.admit(reader, visitor, to: list)
            case .page, .audit, .members: pagesAsked += 1
            }
            effects.append(.admit(reader, visitor, request))
        }
        return isAsking ? effects + readForAll() : effects
    }

    private func turnAway(_ reader: Reader, _ visitor: Visitor, _ request: ReadRequest, _ error: WireError) -> Effect {
        guard case .list(let list, let ref, _) = request else {
            return .answer(reader, .error(ref: request.ref, error))
        }
        return .turnAway(reader, list, visit: visitor.visit, ref: ref, error)
    }

    /// Notes the store's time, as of which readers are sent how long their mutes last.
    package mutating func advance(to instant: Milliseconds) {
        access.instant = instant
    }

    /// Returns the error that a reader's messages would get now; `nil` if the room would accept them.
    package func silence(of reader: Reader) -> WireError? {
        access.silence(of: reader)
    }
}
