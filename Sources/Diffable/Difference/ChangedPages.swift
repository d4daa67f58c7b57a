/// The pages that two snapshots do not share. Whole branches that they share are skipped.
///
/// - Complexity: O(pages / 256 + pages that changed).
struct ChangedPages {
    /// The numbers of the pages, with those that only one of the snapshots has.
    var numbers: ContiguousArray<Int> = []
    /// True when so many pages changed, more than one, that `numbers` is not complete.
    var areMost = false

    init(_ old: Pages<AnyIdentifier>, _ new: Pages<AnyIdentifier>) {
        let end = max(old.homes.count, new.homes.count)
        let shorter = min(old.homes.count, new.homes.count)
        let (before, after) = (old.tree.limbs, new.tree.limbs)
        numbers.reserveCapacity(4)  // a move's pages, and those that were open before it
        compare(old.openNumber, old, new, shorter)
        if new.openNumber != old.openNumber { compare(new.openNumber, old, new, shorter) }
        for limb in 0..<min(before.count, after.count) where !before[limb].isShared(with: after[limb]) {
            for branch in 0..<min(before[limb].count, after[limb].count)
            where !before[limb][branch].isShared(with: after[limb][branch]) {
                let first = limb << 8 | branch << 4
                for page in 0..<min(16, shorter - first)
                where first | page != old.openNumber && first | page != new.openNumber
                    && !before[limb][branch][page].isShared(with: after[limb][branch][page])
                { numbers.append(first | page) }
                if numbers.count > max(end / 4, 1) {
                    areMost = true
                    return
                }
            }
        }
        numbers += shorter..<end
        areMost = numbers.count > max(end / 4, 1)
    }

    /// Notes a page that is open in one of the snapshots, and that both have.
    mutating func compare(
        _ number: Int, _ old: Pages<AnyIdentifier>, _ new: Pages<AnyIdentifier>, _ shorter: Int
    ) {
        if number >= 0, number < shorter, !old[number].isShared(with: new[number]) { numbers.append(number) }
    }

    /// Returns the sections, ascending, that have one of these pages in either list, if all sections have their old
    /// places. No row of another section differs.
    func sections(in old: AnyList, _ new: AnyList) -> [Int] {
        var sections: [Int] = []
        for number in numbers {
            for section in [Self.section(of: number, in: old), Self.section(of: number, in: new)] where section >= 0 {
                sections.append(section)
            }
        }
        sections.sort()
        var count = 0
        for section in sections where count == 0 || sections[count - 1] != section {
            sections[count] = section
            count += 1
        }
        sections.removeLast(sections.count - count)
        return sections
    }

    /// Returns the place of the section that has a page, or -1 if none has.
    static func section(of number: Int, in list: AnyList) -> Int {
        guard number < list.pages.homes.count, list.pages.homes[number].token >= 0 else { return -1 }
        return list.slots[Int(list.pages.homes[number].token)].position
    }

    /// Returns the places of those pages that the new snapshot has, by section, then by ordinal.
    func places(in new: AnyList) -> ContiguousArray<PagePlace> {
        var places: ContiguousArray<PagePlace> = []
        places.reserveCapacity(numbers.count)
        for number in numbers where number < new.pages.homes.count && new.pages.homes[number].token >= 0 {
            let home = new.pages.homes[number]
            places.append(PagePlace(section: new.slots[Int(home.token)].position, ordinal: Int(home.ordinal)))
        }
        if places.count > 1 { places.sort { ($0.section, $0.ordinal) < ($1.section, $1.ordinal) } }
        return places
    }
}

/// The section of a page, and the number of pages before it in that section.
struct PagePlace {
    var section: Int
    var ordinal: Int
}
