import ChatClient
import ChatWire
import Foundation
import Replicas
import WebSocketTransport

extension Load {
    mutating func perform(_ effect: SessionEffect, for index: Int) {
        switch effect {
        case .connect: connect(index)
        case .wantToken: findToken(index)
        case .send(let frame):
            if let connection = clients[index].connection { transport?.send(frame.json, on: connection) }
        case .disconnect(let code, let reason): hangUp(index, code, reason)
        case .state(let state): entered(state, index)
        case .changed(let change as RoomChange): changed(change, index)
        case .changed(let change as MentionsChange): mentionsChanged(change, index)
        case .changed(let change as RoomsChange): roomsChanged(change, index)
        case .changed: break
        case .answered(let command, let outcome): answered(command, outcome, by: index)
        case .notice(let notice): noticed(notice)
        }
    }

    private mutating func findToken(_ index: Int) {
        guard let tokens = options.tokens else { return }
        handle(index, .token(tokens.token(for: clients[index].user, now: .now)))
    }

    private mutating func connect(_ index: Int) {
        guard opening.count < 200 else { return waitingToOpen.append(index) }
        // One address can hold some 28,000 connections to a port.
        let url = options.urls[(index + clients[index].attempts) % options.urls.count]
        clients[index].attempts += 1
        let isLoopback = url.host == "127.0.0.1"
        let source = isLoopback && clients.count > 20_000 ? "127.0.0.\(2 + index / 20_000)" : nil
        guard let id = transport?.connect(to: url, from: source) else { return }
        clients[index].connection = id
        clientOf[id] = index
        opening.insert(id)
    }

    /// Notes that a connection is open or has failed, and lets the next one begin.
    mutating func opened(_ id: ConnectionID) {
        guard opening.remove(id) != nil else { return }
        while !waitingToOpen.isEmpty {
            let next = waitingToOpen.removeFirst()
            if clients[next].connection == nil { return connect(next) }
        }
    }

    func hangUp(_ connection: ConnectionID?, _ code: UInt16, _ reason: String) {
        if let connection { transport?.close(connection, code: code, reason: reason) }
    }

    private mutating func hangUp(_ index: Int, _ code: UInt16, _ reason: String) {
        guard let id = clients[index].connection else { return }
        hangUp(id, code, reason)
        clientOf[id] = nil
        clients[index].connection = nil
    }

    private mutating func entered(_ state: ConnectionState, _ index: Int) {
        switch state {
        case .offline, .connecting: break
        case .online:
            if clients[index].role == .publisher { joined(index) }
            if clients[index].hasJoined { report.reconnections += clients[index].isCut ? 1 : 0 }
            clients[index].isCut = false
        case .waiting(_, let loss), .ended(let loss): lost(loss, index)
        }
    }

    private mutating func lost(_ loss: ConnectionLoss, _ index: Int) {
        clients[index].isStalled = false
        if clients[index].isCut || options.expectsRestarts {
            clients[index].isCut = true
            return
        }
        clients[index].isCut = true
        report.lostConnections += 1
        report.recordFailure("\(loss)")
    }

    mutating func joined(_ index: Int) {
        guard !clients[index].hasJoined, hasArrived(index) else { return }
        clients[index].hasJoined = true
        connecting -= 1
    }

    private mutating func noticed(_ notice: SessionNotice) {
        switch notice {
        case .resynchronizing(_, .diverged): report.digestMismatches += 1
        case .resynchronizing(_, .stalePage), .nothingOlder: return
        case .resynchronizing, .passedOver: report.torn += 1
        case .standing, .audit, .found, .uploading, .links, .members, .laterStored, .blockStored: return
        case .refused, .pageRefused, .readRefused, .ended, .auditRefused, .searchRefused, .uploadRefused, .linksRefused,
            .membersRefused, .draftRefused, .laterRefused, .blockRefused, .noFreshToken:
            report.refused += 1
        }
        report.recordFailure("\(notice)")
    }

    // MARK: - Readers

    private mutating func changed(_ change: RoomChange, _ index: Int) {
        if clients[index].role == .verifier { return }
        let isFirst = !clients[index].hasJoined
        joined(index)
        recordTrims(change, index)
        report.gaps += change.gaps.appeared.count
        switch change.cause {
        case .snapshot(let why):
            if !isFirst { startedOver(why) }
            clients[index].lastSort = change.view.messages.last?.sort ?? 0
            back(index)
        case .caughtUp:
            report.resumedByDiff += 1
            back(index)
            delivered(change, index)
        case .live:
            delivered(change, index)
            // The delay of a reader that stalled says nothing about the server.
            guard clients[index].nextStall == nil else { break }
            for id in change.changes.inserted {
                if let time = spans.sendTime(of: id) { report.sendToSeen.record(now - time) }
            }
        case .page, .subscribed: break
        }
    }

    /// Notes that the server trims the room, if the change removes a message that no user has deleted.
    private mutating func recordTrims(_ change: RoomChange, _ index: Int) {
        let room = clients[index].rooms.lowerBound
        guard !change.changes.deleted.isEmpty, !trimmed.contains(room) else { return }
        let removed = change.changes.deleted.filter { expected[room]?[$0].map { !$0.isDeleted } ?? false }
        guard !removed.isEmpty else { return }
        // The answer to a delete may come after the diff.
        let asked = unanswered.values.compactMap { if case .delete(let id) = $0.command.action { id } else { nil } }
        if removed.contains(where: { !asked.contains($0) }) { trimmed.insert(room) }
    }

    /// Notes a snapshot for a reader that was not new. Only another epoch is a reason for one.
    private mutating func startedOver(_ why: ServerFrame.SnapshotReason) {
        report.resumedBySnapshot[why.rawValue, default: 0] += 1
        guard why != .epoch else { return }
        report.startedOver += 1
        report.recordFailure("a reader that came back had to start over (\(why.rawValue))")
    }

    private mutating func back(_ index: Int) {
        guard herd.remove(index) != nil, herd.isEmpty, let herdCut else { return }
        report.herdTime = Double(now - herdCut) / 1e6
    }

    private mutating func delivered(_ change: RoomChange, _ index: Int) {
        let changes = change.changes
        report.frames += 1
        report.deliveries += changes.inserted.count + changes.deleted.count + changes.reloaded.count
        report.deliveries += changes.reconfigured.count + changes.moved.count
        guard !changes.inserted.isEmpty else { return }
        for id in changes.inserted {
            guard let sort = change.view[id]?.sort else { continue }
            if sort <= clients[index].lastSort { report.disordered += 1 }
            clients[index].lastSort = max(clients[index].lastSort, sort)
        }
    }
}
