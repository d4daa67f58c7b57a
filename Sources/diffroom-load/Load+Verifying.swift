import ChatClient
import ChatWire
import Replicas

extension Load {
    /// The number of rooms of one verifier: fewer than a connection may subscribe to.
    private static var roomsOfVerifier: Int { 100 }

    /// Adds fresh readers, which know nothing of the run.
    mutating func addVerifiers() {
        let first = clients.count
        for start in stride(from: 0, to: options.rooms, by: Self.roomsOfVerifier) {
            let rooms = start..<min(options.rooms, start + Self.roomsOfVerifier)
            add(.verifier, rooms: rooms, user("verifier-\(part.index)-\(start)"))
        }
        for index in first..<clients.count {
            for room in clients[index].rooms { handle(index, .open(options.room(room), limit: 500)) }
            handle(index, .start)
        }
    }

    /// Waits until all clients have everything, or until the time is over.
    mutating func awaitConvergence(_ since: Int64) {
        guard now >= nextLook else { return }
        // A check takes some microseconds for each room and member. Most of the time must stay for incoming frames.
        nextLook = now + Int64(options.rooms + options.inbox) * 50
        readBack()
        let isLate = now - since >= Int64(options.settle) * 1_000_000
        guard isLate || unanswered.isEmpty && areAllCaughtUp else { return }
        report.settleTime = Double(now - since) / 1e6
        report.behind += unanswered.count
        verify()
        phase = .over
    }

    private var verifiers: Range<Int> { publishers.upperBound..<clients.count }

    /// Makes the verifiers read further back, until they hold all that any reader holds.
    private mutating func readBack() {
        for index in verifiers {
            for room in clients[index].rooms {
                let name = options.room(room)
                guard let view = clients[index].session.view(of: name) else { continue }
                if let gap = view.gaps.last {
                    handle(index, .page(name, .gap(gap.id, from: .end), limit: 500))
                } else if view.hasOlder, (view.messages.first?.sort ?? 0) > earliest(in: room) {
                    handle(index, .page(name, .older, limit: 500))
                }
            }
        }
    }

    /// Returns the sort key from which this process can judge a room: the first that one of its readers holds or has
    /// not read, or one of its publishers wrote.
    private mutating func earliest(in room: Int) -> UInt64 {
        if let known = earliestKnown[room] { return known }
        let name = options.room(room)
        var earliest = firstWritten[room] ?? .max
        for index in subscribers where clients[index].rooms.lowerBound == room {
            earliest = min(earliest, clients[index].session.view(of: name)?.messages.first?.sort ?? .max)
        }
        for membership in clients.lazy.flatMap(\.memberships) where membership.room == name {
            earliest = min(earliest, membership.mark + 1)
        }
        earliestKnown[room] = earliest
        return earliest
    }

    private var areAllCaughtUp: Bool {
        for index in verifiers {
            for room in clients[index].rooms {
                guard let view = clients[index].session.view(of: options.room(room)) else { return false }
                let isFarEnough = !view.hasOlder || (view.messages.first?.sort ?? 0) <= earliestKnown[room] ?? 0
                // An answer may overtake its diff.
                guard isFarEnough, view.gaps.isEmpty, view.revision >= lastWritten[room] ?? 0 else { return false }
            }
        }
        let (truths, members) = (truths, subscribers.filter { clients[$0].isMember })
        let areRoomsRight = subscribers.allSatisfy { index in
            let room = options.room(clients[index].rooms.lowerBound)
            return clients[index].session.view(of: room)?.revision == truths[room]?.revision
        }
        guard areRoomsRight, !members.isEmpty else { return areRoomsRight }
        let right = RightLists(truths)
        return members.allSatisfy { mistake(inListsOf: $0, right) == nil }
    }

    /// The server's state of each room, as a verifier received it.
    private var truths: [RoomName: RoomView] {
        var truths: [RoomName: RoomView] = [:]
        for index in verifiers {
            for room in clients[index].rooms {
                let name = options.room(room)
                truths[name] = clients[index].session.view(of: name)
            }
        }
        return truths
    }

    // MARK: - Verdict

    private mutating func verify() {
        let truths = truths
        for room in 0..<options.rooms {
            guard let truth = truths[options.room(room)] else {
                report.behind += 1
                report.recordFailure("\(options.room(room)) could not be read at the end")
                continue
            }
            verifyOwn(room, truth)
            verifyMissed(room, truth)
            verifyTags(truth)
        }
        for index in subscribers { verifyReader(index, truths) }
        let right = RightLists(truths)
        for index in subscribers where clients[index].isMember {
            guard let mistake = mistake(inListsOf: index, right) else { continue }
            report.wrongLists += 1
            report.recordFailure(mistake)
        }
    }

    /// Checks that everything acknowledged is still so.
    private mutating func verifyOwn(_ room: Int, _ truth: RoomView) {
        for (id, expectation) in expected[room] ?? [:] {
            let row = truth[id]
            let isRight =
                expectation.isDeleted
                ? row == nil
                : row?.text == expectation.text && row?.mentions == expectation.mentions
                    && (!expectation.hasReaction || row?.reactions.isEmpty == false)
            guard !isRight, !wasTrimmed(expectation, room, truth) else { continue }
            report.lost += 1
            report.recordFailure(row == nil ? "acknowledged and not there" : "acknowledged and not so")
        }
    }

    /// Checks that messages that were not there for their writers have been trimmed.
    private mutating func verifyMissed(_ room: Int, _ truth: RoomView) {
        for miss in missed where miss.room == room {
            if let message = expected[room]?[miss.message], wasTrimmed(message, room, truth) { continue }
            report.refused += 1
            report.recordFailure(miss.why)
        }
    }

    /// Returns whether a message is missing because the server trims the room: it trims from the beginning, so all that is
    /// left comes after the message.
    private func wasTrimmed(_ message: Expectation, _ room: Int, _ truth: RoomView) -> Bool {
        guard options.expectsRetention || trimmed.contains(room), let sort = message.sort, !truth.hasOlder else {
            return false
        }
        return sort < truth.messages.first?.sort ?? .max
    }

    /// Checks that no message stands twice, and that each author's messages stand in order.
    private mutating func verifyTags(_ truth: RoomView) {
        var last: [Substring: Int] = [:]
        for row in truth.messages where row.text.hasPrefix("\(options.seed).") {
            let tag = row.text.prefix { $0 != " " }
            guard let dot = tag.lastIndex(of: "."), let number = Int(tag[tag.index(after: dot)...]) else { continue }
            let before = last[tag[..<dot]] ?? 0
            if number == before { report.doubled += 1 } else if number < before { report.disordered += 1 }
            last[tag[..<dot]] = max(before, number)
        }
    }

    private mutating func verifyReader(_ index: Int, _ truths: [RoomName: RoomView]) {
        let room = options.room(clients[index].rooms.lowerBound)
        guard let truth = truths[room] else { return }
        guard let view = clients[index].session.view(of: room), view.revision == truth.revision else {
            report.behind += 1
            return report.recordFailure("a reader of \(room) did not catch up")
        }
        let right = truth.messages.filter { view.held.contains($0.sort) }
        let isEqual =
            view.count == truth.count && view.epoch == truth.epoch && view.messages.count == right.count
            && zip(view.messages, right).allSatisfy { $0.isSame(as: $1) }
            && ListDigest(view.messages).value == ListDigest(right).value
        guard !isEqual else { return }
        report.diverged += 1
        report.recordFailure("a reader of \(room) has something else than the server")
    }
}

extension Message {
    /// Returns whether two rows are equal but for their sections, which depend on when a reader joined.
    fileprivate func isSame(as other: Message) -> Bool {
        id == other.id && sort == other.sort && rev == other.rev && text == other.text && light == other.light
            && author == other.author && time == other.time && edited == other.edited && replyTo == other.replyTo
            && mentions == other.mentions
    }
}
