import Replicas
import TestSupport
import Testing

@testable import ChatClient

/// Changes one after the other, and one in their place, beside the lists themselves.
@Suite struct MergedChangesTests {
    /// Rows by id, each with a version.
    private typealias List = [Int: Int]

    private static func step(_ list: inout List, _ random: inout SplitMix64) -> ReplicaChanges<Int> {
        var changes = ReplicaChanges<Int>()
        for id in 0..<12 {
            switch (list[id], Int.random(in: 0..<6, using: &random)) {
            case (nil, 0...1):
                list[id] = Int.random(in: 0..<1_000_000, using: &random)
                changes.inserted.append(id)
            case (_?, 0):
                list[id] = nil
                changes.deleted.append(id)
            case (let version?, 1):
                list[id] = version + 1
                changes.reloaded.append(id)
            case (let version?, 2):
                list[id] = version + 1
                changes.reconfigured.append(id)
            case (_?, 3): changes.moved.append(id)
            default: break
            }
        }
        return changes
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func oneChangeIsAsAllInTheirOrder(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var list: List = [:]
        for _ in 0..<Int.random(in: 0..<4, using: &random) { _ = Self.step(&list, &random) }
        let before = list
        var net = Self.step(&list, &random)
        var moved = Set(net.moved)
        for _ in 0..<Int.random(in: 1..<8, using: &random) {
            let next = Self.step(&list, &random)
            moved.formUnion(next.moved)
            net = net.merged(with: next)
        }

        #expect(Set(net.inserted) == Set(list.keys).subtracting(before.keys))
        #expect(Set(net.deleted) == Set(before.keys).subtracting(list.keys))
        let kept = Set(list.keys).intersection(before.keys)
        let other = kept.filter { list[$0] != before[$0] }
        let (reloaded, reconfigured) = (Set(net.reloaded), Set(net.reconfigured))
        #expect(reloaded.union(reconfigured).isSuperset(of: other) && reloaded.isDisjoint(with: reconfigured))
        #expect(kept.isSuperset(of: reloaded.union(reconfigured)))
        #expect(Set(net.moved).isSuperset(of: moved.intersection(kept)) && kept.isSuperset(of: net.moved))
        for ids in [net.inserted, net.deleted, net.moved, net.reloaded, net.reconfigured] {
            #expect(Set(ids).count == ids.count)
        }
    }
}
