import Diffable

#if canImport(DifferenceKit)
    import DifferenceKit
#endif

/// A way to compute differences. `prepare` makes everything that can be made before the clock starts.
struct Contender<ID: Identifier> {
    var name: String
    /// The longest list for this contender: many changes in a longer one would take minutes of quadratic time.
    var longest = Int.max
    var prepare: (_ old: [NamedSection<ID>], _ new: [NamedSection<ID>]) -> () -> Int
}

enum Contenders {
    static func all<ID: Identifier>(_: ID.Type) -> [Contender<ID>] {
        #if canImport(DifferenceKit)
            [differenceKit(), diffable(), staged(), building(), heckel(), collectionDifference()]
        #else
            [heckel(), diffable(), staged(), building(), collectionDifference()]
        #endif
    }

    #if canImport(DifferenceKit)
        /// DifferenceKit with its list: the sections' items in sequence, which is the least work for it.
        static func differenceKit<ID: Identifier>() -> Contender<ID> {
            Contender(name: "DifferenceKit") { old, new in
                let (old, new) = (old.flatMap(\.items).map(Peer.init), new.flatMap(\.items).map(Peer.init))
                return { StagedChangeset(source: old, target: new).reduce(0) { $0 + $1.changeCount } }
            }
        }

        private struct Peer<ID: Identifier>: Differentiable {
            var differenceIdentifier: ID

            func isContentEqual(to source: Peer) -> Bool { true }
        }
    #endif

    static func diffable<ID: Identifier>() -> Contender<ID> {
        Contender(name: "Diffable") { old, new in
            let (old, new) = (snapshot(old), snapshot(new))
            return { size(new.difference(from: old)) }
        }
    }

    /// The change in stages, each with its list, as DifferenceKit has it.
    static func staged<ID: Identifier>() -> Contender<ID> {
        Contender(name: "Diffable, in stages") { old, new in
            let (old, new) = (snapshot(old), snapshot(new))
            return { new.stagedDifference(from: old).reduce(0) { $0 + size($1.changes) } }
        }
    }

    /// Includes building the new snapshot from bare identifiers.
    static func building<ID: Identifier>() -> Contender<ID> {
        Contender(name: "building + Diffable") { old, new in
            let old = snapshot(old)
            return { size(snapshot(new).difference(from: old)) }
        }
    }

    static func heckel<ID: Identifier>() -> Contender<ID> {
        Contender(name: "Heckel") { old, new in
            let (old, new) = (old.flatMap(\.items), new.flatMap(\.items))
            return { Heckel.difference(from: old, to: new).count }
        }
    }

    static func collectionDifference<ID: Identifier>() -> Contender<ID> {
        Contender(name: "CollectionDifference", longest: 5_000) { old, new in
            let (old, new) = (old.flatMap(\.items), new.flatMap(\.items))
            return { new.difference(from: old).inferringMoves().count }
        }
    }

    static func snapshot<ID: Identifier>(_ sections: [NamedSection<ID>]) -> Snapshot<ID, ID> {
        var snapshot = Snapshot<ID, ID>()
        for section in sections {
            snapshot.appendSections([section.id])
            snapshot.appendItems(section.items, toSection: section.id)
        }
        return snapshot
    }

    private static func size(_ changes: ChangeSet) -> Int {
        changes.deletedItems.count + changes.insertedItems.count + changes.movedItems.count
    }
}
