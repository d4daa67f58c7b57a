import CMalloc
import Diffable
import FoundationEssentials

/// Bytes of heap per item: the peak, and the rest afterwards.
enum Memory {
    static func run() {
        cmalloc_make_peaks_readable()
        print("memory, bytes of heap per item, UUID: peak, and what stays")
        for n in [1_000, 10_000, 100_000, 1_000_000] { run(n) }
    }

    private static func run(_ n: Int) {
        let ids = (0..<n).map(UUID.make)
        let full = line("build", n) { snapshot(ids) }
        for (name, others) in [
            ("shuffle", ids.shuffled()), ("reverse", ids.reversed()), ("replace all", (n..<2 * n).map(UUID.make)),
            ("remove all", []),
        ] {
            let other = snapshot(others)
            _ = line("difference, \(name)", n) { other.difference(from: full) }
        }
    }

    private static func snapshot(_ ids: [UUID]) -> Snapshot<UUID, UUID> {
        Contenders.snapshot([NamedSection(id: UUID.make(-1), items: ids)])
    }

    private static func line<Result>(_ name: String, _ n: Int, _ body: () -> Result) -> Result {
        let before = cmalloc_trim()
        let result = body()
        let peak = cmalloc_size() - before
        let rest = cmalloc_trim() - before
        print("    n = \(n), \(name): \(peak / n), \(rest / n)")
        return result
    }
}

extension NamedSection {
    init(id: ID, items: [ID]) {
        self.id = id
        self.items = items
    }
}
