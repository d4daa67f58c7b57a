import ChatRoom
import ChatServer
import ChatWire
import WebSocketTransport

// The faults that are put into what the rooms decide, before it is done.

extension World {
    func sabotaged(_ decision: ShardDecision, of server: Server) -> ShardDecision {
        guard sabotage != nil else { return decision }
        var decision = decision
        for loop in decision.loops.indices {
            if suffers(.uncheckedAccess) { leaveIn(&decision.loops[loop], of: server) }
            decision.loops[loop].commands = decision.loops[loop].commands.flatMap {
                sabotaged($0, onLoop: loop, of: server)
            }
        }
        return decision
    }

    private func sabotaged(_ command: LoopCommand, onLoop loop: Int, of server: Server) -> [LoopCommand] {
        switch command {
        case .send(let frame, _):
            guard let frame = try? ServerFrame(json: frame.text), frame.ref != nil else { return [command] }
            return Array(repeating: command, count: timesSaid())
        case .attach(let connection, let topic, let revision, let frame?):
            guard suffers(.lateAttachment), let link = server.links[connection.rawValue], frame.isOfMessages else {
                return [command]
            }
            server.lateAttachments[topic, default: []].append((link, revision))
            return [.send(frame, to: connection)]
        case .append(let frame, let topic, let revision):
            if strikes(.droppedDiff) { return [] }
            let frame = strikes(.wrongDigest) ? frame.withWrongDigest : frame
            let (diff, late) = (
                LoopCommand.append(frame, to: topic, revision: revision),
                lateAttachments(to: topic, onLoop: loop, of: server)
            )
            // When the fault has ended, this diff may be the last one: who is late must notice by it.
            return suffers(.lateAttachment) ? [diff] + late : late + [diff]
        case .attach, .detach, .cut, .close:
            return [command]
        }
    }

    /// Leaves a reader that is put out attached and subscribed, though it is told otherwise.
    private func leaveIn(_ part: inout ShardDecision.Loop, of server: Server) {
        for case .ended(let connection, .messages(let room), _) in part.notes {
            let detached = part.commands.firstIndex {
                if case .detach(connection, _) = $0 { true } else { false }
            }
            guard let detached, let link = server.links[connection.rawValue] else { continue }
            part.commands.remove(at: detached)
            part.notes.removeAll {
                if case .ended(connection, .messages(room), _) = $0 { true } else { false }
            }
            link.hearings[room]?.isOverstaying = true
        }
    }

    private func lateAttachments(to topic: TopicID, onLoop loop: Int, of server: Server) -> [LoopCommand] {
        let late = server.lateAttachments[topic, default: []].filter { $0.0.loop == loop }
        server.lateAttachments[topic]?.removeAll { $0.0.loop == loop }
        return late.map { link, revision in
            // Also of one whose attachment was late when the fault ended: it would never be told of anything.
            _ = strikes(.lateAttachment, 1)
            return .attach(link.connection, to: topic, at: revision, sending: nil)
        }
    }

    /// Counts the strikes of a lost tombstone, or deletion: those that a reader is to miss. What is lost while nobody
    /// reads, of rows that are trimmed before anybody does, nobody can see.
    func noteDeletions(in frame: ServerFrame) {
        guard suffers(.lostTombstone) || suffers(.lostDeletion),
            case .diff(_, .messages(let room), let epoch, let diff as ListDiff<Message>) = frame,
            let truth = disks[epoch]?.truth(of: room), diff.to <= truth.revision
        else {
            return
        }
        let sorts = Dictionary(truth.states[Int(diff.from)].map { ($0.id, $0.sort) }) { $1 }
        let due = truth.diff(from: diff.from, to: diff.to).deletions.filter { id in
            diff.ranges?.contains { $0.keys.contains(sorts[id] ?? 0) } ?? true
        }
        if due.count > diff.deletions.count { strikes += 1 }
    }

    /// The number of times that an answer is sent.
    private func timesSaid() -> Int {
        if strikes(.lostAnswer) { 0 } else if strikes(.doubledAnswer) { 2 } else { 1 }
    }
}

extension Frame {
    fileprivate var isOfMessages: Bool {
        switch try? ServerFrame(json: text) {
        case .snapshot(_, .messages, _), .diff(_, .messages, _, _): true
        default: false
        }
    }

    /// A diff of messages that proves something else.
    fileprivate var withWrongDigest: Frame {
        guard case .diff(_, let list, let epoch, var diff as ListDiff<Message>) = try? ServerFrame(json: text) else {
            return self
        }
        diff.proof = ListProof(count: diff.proof.count, digest: diff.proof.digest ^ 1)
        return Frame(text: diff.encoded(list, epoch).bytes)
    }
}
