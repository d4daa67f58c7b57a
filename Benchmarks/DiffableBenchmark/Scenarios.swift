/// The measured changes.
enum Scenarios {
    /// Delete a stretch, insert a stretch of new items, shuffle the first ones. The names give the four numbers.
    static let protocols = [
        replaced(count: 5_000, delete: 2_000..<3_000, insert: 1_000, shuffle: 200),
        replaced(count: 100_000, delete: 20_000..<30_000, insert: 10_000, shuffle: 2_000),
    ]

    private static func replaced(count: Int, delete: Range<Int>, insert: Int, shuffle: Int) -> Scenario {
        Scenario(name: "\(count) -\(delete.count) +\(insert) ~\(shuffle)", count: count) {
            let base = offset(&$0)
            let old = Array(base..<base + count)
            var new = old
            new.removeSubrange(delete)
            new.insert(contentsOf: base + count..<base + count + insert, at: delete.upperBound)
            new[..<shuffle].shuffle(using: &$0)
            return Change(old: old, new: new)
        }
    }

    /// The changes of a chat, and changes of a whole list.
    static func chat(_ n: Int) -> [Scenario] {
        [
            edit("no change", n) { _, _ in },
            edit("remove all", n) { list, _ in list = [] },
            Scenario(name: "from nothing", count: n) { _ in Change(old: [], new: Array(0..<n)) },
            edit("append 1", n) { list, _ in list.append(-1) },
            edit("prepend 50", n) { list, _ in list.insert(contentsOf: -50..<0, at: 0) },
            edit("delete 1", n) { list, _ in list.remove(at: n / 2) },
            edit("move 1", n) { list, _ in list.insert(list.remove(at: n / 4), at: n * 3 / 4) },
            edit("last to top", n) { list, _ in list.insert(list.removeLast(), at: 0) },
            edit("reverse", n) { list, _ in list.reverse() },
            edit("shuffle", n) { list, random in list.shuffle(using: &random) },
            edit("replace all", n) { list, _ in list = Array(n..<2 * n) },
        ]
    }

    /// The changes of a search in a list.
    static func filter(_ n: Int) -> [Scenario] {
        [
            edit("keep 10%", n) { list, random in
                list = list.filter { _ in Int.random(in: 0..<10, using: &random) == 0 }
            },
            Scenario(name: "back to all", count: n) { random in
                let all = Array(0..<n)
                return Change(old: all.filter { _ in Int.random(in: 0..<10, using: &random) == 0 }, new: all)
            },
            edit("drop every other", n) { list, _ in list = list.filter { $0 % 2 == 0 } },
            edit("1% out, 1% in", n) { list, random in
                for new in 1...n / 100 {
                    list.remove(at: Int.random(in: list.indices, using: &random))
                    list.insert(-new, at: Int.random(in: list.indices, using: &random))
                }
            },
        ]
    }

    /// 100 sections of 1,000 items.
    static let sectioned: [Scenario] = [
        sections("no change") { _, _ in },
        sections("append 1") { list, _ in list[50].items.append(-1) },
        sections("1 item to another section") { list, _ in
            list[60].items.insert(list[40].items.remove(at: 500), at: 500)
        },
        sections("section to front") { list, _ in list.insert(list.remove(at: 70), at: 0) },
        sections("delete section") { list, _ in list.remove(at: 50) },
        sections("shuffle sections") { list, random in list.shuffle(using: &random) },
        sections("shuffle all items") { list, random in
            let all = list.flatMap(\.items).shuffled(using: &random)
            for i in list.indices { list[i].items = Array(all[i * 1_000..<(i + 1) * 1_000]) }
        },
    ]

    private static func sections(
        _ name: String, _ edit: @escaping @Sendable (inout [Change.Section], inout SplitMix64) -> Void
    )
        -> Scenario
    {
        Scenario(name: name, count: 100_000) { random in
            let old = (0..<100).map { Change.Section(id: $0, items: Array($0 * 1_000..<($0 + 1) * 1_000)) }
            var new = old
            edit(&new, &random)
            return Change(old: old, new: new)
        }
    }

    private static func edit(
        _ name: String, _ n: Int, _ edit: @escaping @Sendable (inout [Int], inout SplitMix64) -> Void
    ) -> Scenario {
        Scenario(name: name, count: n) { random in
            let old = Array(0..<n)
            var new = old
            edit(&new, &random)
            return Change(old: old, new: new)
        }
    }

    private static func offset(_ random: inout SplitMix64) -> Int { Int.random(in: 0..<1_000_000, using: &random) }
}
