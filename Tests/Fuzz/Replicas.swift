import ChatWire
import Replicas

// Snapshots, diffs and pages of few ids and places, so that they meet: a replica never traps, takes a frame whole or not
// at all, and what it holds is in order, found by id and proved.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var bytes = Bytes(rest: Array(UnsafeBufferPointer(start: start, count: count))[...])
    var replica: Replica<Message>?
    while !bytes.rest.isEmpty {
        switch bytes.number(8) {
        case 0: replica = snapshot(&bytes) ?? replica
        case 1: attempt(&replica) { try $0.insert(bytes.page(), epoch: bytes.epoch()) }
        default: apply(bytes.diff(from: replica), bytes.epoch(), to: &replica)
        }
    }
    return 0
}

/// A snapshot, with a right proof if its own is wrong.
private func snapshot(_ bytes: inout Bytes) -> Replica<Message>? {
    var snapshot = bytes.snapshot()
    let epoch = bytes.epoch()
    do throws(ReplicaError) {
        return try Replica(epoch: epoch, joined: 2, snapshot)
    } catch {
        guard case .diverged(_, let found) = error else { return nil }
        snapshot.proof = found
        let replica = try? Replica(epoch: epoch, joined: 2, snapshot)
        replica.map(check)
        return replica
    }
}

/// Applies a diff, and if only its proof is wrong, with the right one.
private func apply(_ diff: ListDiff<Message>, _ epoch: Epoch, to replica: inout Replica<Message>?) {
    var diff = diff
    guard case .diverged(_, let found) = attempt(&replica, { try $0.apply(diff, epoch: epoch) }) else { return }
    diff.proof = found
    attempt(&replica) { try $0.apply(diff, epoch: epoch) }
}

@discardableResult
private func attempt(
    _ replica: inout Replica<Message>?, _ change: (inout Replica<Message>) throws -> ReplicaChanges<MessageID>
) -> ReplicaError? {
    guard let before = replica else { return nil }
    do {
        let changes = try change(&replica!)
        check(replica!)
        check(changes, before, replica!)
        return nil
    } catch let error as ReplicaError {
        let after = replica!
        guard after.rows == before.rows, after.revision == before.revision, after.count == before.count,
            after.more == before.more
        else { fatalError("\(error), and yet it changed") }
        check(after)
        return error
    } catch {
        fatalError("\(error)")
    }
}

private func check(_ replica: Replica<Message>) {
    let rows = replica.rows
    guard Set(rows.map(\.id)).count == rows.count else { fatalError("an id twice in \(rows)") }
    for (left, right) in zip(rows, rows.dropFirst()) where (left.section, left.sort) >= (right.section, right.sort) {
        fatalError("\(left) stands before \(right)")
    }
    for (index, row) in rows.enumerated() where replica.index(of: row.id) != index || replica[row.id] != row {
        fatalError("\(row) is not found")
    }
}

private func check(_ changes: ReplicaChanges<MessageID>, _ old: Replica<Message>, _ new: Replica<Message>) {
    let before = Set(old.rows.map(\.id))
    let after = Set(new.rows.map(\.id))
    guard before.subtracting(changes.deleted).union(changes.inserted) == after, before.isSuperset(of: changes.deleted),
        before.isDisjoint(with: changes.inserted)
    else { fatalError("\(changes) does not lead from \(before) to \(after)") }
    let told = Set(changes.moved + changes.reloaded + changes.reconfigured)
    for row in new.rows where old[row.id] != nil && old[row.id] != row && !told.contains(row.id) {
        fatalError("nobody was told of \(row)")
    }
}

/// A fuzzer's bytes, as what is small enough to meet again.
private struct Bytes {
    var rest: ArraySlice<UInt8>

    mutating func number(_ limit: UInt64) -> UInt64 {
        UInt64(rest.popFirst() ?? 0) % limit
    }

    mutating func epoch() -> Epoch {
        Epoch(number(16) == 15 ? "other" : "one")!
    }

    private mutating func id() -> MessageID {
        MessageID(high: 0, low: number(48))
    }

    private mutating func several<Element>(_ make: (inout Bytes) -> Element) -> [Element] {
        (0..<number(6)).map { _ in make(&self) }
    }

    private mutating func message() -> Message {
        let flags = number(8)
        return Message(
            id: id(), section: flags & 1 == 0 ? .history : .socket, sort: number(64), rev: number(64),
            author: UserName("a")!, time: 0, content: "\(number(3))", edited: flags & 2 == 0 ? nil : 1,
            reactions: flags & 4 == 0 ? [] : [Reaction(emoji: "+", users: [UserName("b")!])])
    }

    /// Rows that mostly are in order; more of them than the digest covers now and then.
    private mutating func rows() -> [Message] {
        guard number(4) == 0 else { return several { $0.message() }.sorted { $0.sort < $1.sort } }
        return (0..<number(40)).map { number in
            Message(
                id: MessageID(high: 0, low: number), section: .history, sort: number, rev: number,
                author: UserName("a")!, time: 0, content: "0")
        }
    }

    private mutating func proof() -> ListProof {
        ListProof(count: Int(number(64)), digest: UInt32(number(256)))
    }

    mutating func snapshot() -> ListSnapshot<Message> {
        ListSnapshot(revision: number(64), rows: rows(), more: number(2) == 0, proof: proof())
    }

    mutating func page() -> ListPage<Message> {
        let (from, to) = (number(64), number(64))
        return ListPage(
            revision: number(64), from: min(from, to), to: max(from, to), rows: rows(), more: number(2) == 0,
            newer: number(2) == 0)
    }

    mutating func diff(from replica: Replica<Message>?) -> ListDiff<Message> {
        let from = number(8) == 0 ? number(64) : replica?.revision ?? 0
        var diff = ListDiff<Message>(
            from: from, to: from + number(4), deletions: several { $0.id() },
            moves: several {
                ListMove(
                    id: $0.id(), section: $0.number(2) == 0 ? .history : .socket, sort: $0.number(64),
                    rev: $0.number(64))
            },
            insertions: several { $0.message() }, reloads: several { $0.message() },
            reconfigurations: several {
                ListReconfiguration(id: $0.id(), rev: $0.number(64), light: .init(reactions: []))
            },
            patches: several {
                let added = [Reaction(emoji: "+", users: [UserName("b")!])]
                let isTaken = $0.number(2) == 0
                let reactions = isTaken ? ReactionPatch(removed: added) : ReactionPatch(added: added, emojis: ["+"])
                let growth = $0.number(2) == 0 ? TextGrowth(from: Int($0.number(4)), "+", nil) : nil
                return ListPatch(
                    id: $0.id(), rev: $0.number(64), patch: MessagePatch(growth: growth, reactions: reactions))
            },
            proof: proof())
        if number(32) == 0 { diff.unknownOperation = "swp" }
        return diff
    }
}
