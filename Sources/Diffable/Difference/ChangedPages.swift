/// The pages that two snapshots do not share, found by passing over whole branches that they do.
///
/// - Complexity: O(pages / 1,024 + pages that changed).
@frozen
@usableFromInline
struct ChangedPages {
    /// Their numbers, ascending; those that only one of the two has among them.
    @usableFromInline var numbers: ContiguousArray<Int> = []
    /// Whether so many changed that `numbers` was given up.
    @usableFromInline var areMost = false

    @inlinable
    init<Item>(_ old: Pages<Item>, _ new: Pages<Item>) {
        let limit = max(old.homes.count, new.homes.count) / 4
        for limb in 0..<max(old.limbs.count, new.limbs.count) {
            let (before, after) = (Self.at(limb, old.limbs), Self.at(limb, new.limbs))
            if before.isShared(with: after) { continue }
            for branch in 0..<max(before.count, after.count) {
                collect(Self.at(branch, before), Self.at(branch, after), from: limb << 10 | branch << 5)
                if numbers.count > limit {
                    areMost = true
                    return
                }
            }
        }
    }

    @inlinable
    static func at<Child>(_ place: Int, _ parent: ContiguousArray<ContiguousArray<Child>>) -> ContiguousArray<Child> {
        place < parent.count ? parent[place] : []
    }

    @inlinable
    mutating func collect<Element>(
        _ old: ContiguousArray<ContiguousArray<Element>>, _ new: ContiguousArray<ContiguousArray<Element>>,
        from first: Int
    ) {
        if old.isShared(with: new) { return }
        for page in 0..<max(old.count, new.count)
        where page >= min(old.count, new.count) || !old[page].isShared(with: new[page]) {
            numbers.append(first | page)
        }
    }

    /// Where those that the new snapshot has stand in it: by section, then by ordinal.
    @inlinable
    func places<Section, Item>(in new: Snapshot<Section, Item>) -> ContiguousArray<PagePlace> {
        var places: ContiguousArray<PagePlace> = []
        for number in numbers where number < new.pages.homes.count && new.pages.homes[number].token >= 0 {
            let home = new.pages.homes[number]
            places.append(PagePlace(section: new.slots[Int(home.token)].position, ordinal: Int(home.ordinal)))
        }
        if places.count > 1 { places.sort { ($0.section, $0.ordinal) < ($1.section, $1.ordinal) } }
        return places
    }
}

/// A page's section, and how many pages that has before it.
@frozen
@usableFromInline
struct PagePlace {
    @usableFromInline var section: Int
    @usableFromInline var ordinal: Int

    @inlinable
    init(section: Int, ordinal: Int) {
        self.section = section
        self.ordinal = ordinal
    }
}
