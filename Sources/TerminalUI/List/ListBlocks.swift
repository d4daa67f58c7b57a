import Diffable

/// A block of lines in a list: a section's header or a row.
package enum ListBlock<Section: Hashable & Sendable, Item: Hashable & Sendable>: Hashable, Sendable {
    case header(Section)
    case item(Item)
}

extension Snapshot where Section: Sendable, Item: Sendable {
    typealias Block = ListBlock<Section, Item>

    /// The number of blocks in the list: the header of each section, shown or not, and the rows.
    var numberOfBlocks: Int { numberOfSections + numberOfItems }

    /// - Complexity: O(sections).
    func block(at index: Int) -> Block? {
        var index = index
        for place in 0..<numberOfSections {
            let count = numberOfItems(inSectionAt: place) + 1
            if index < count, let section = sectionIdentifier(at: place) {
                let item = itemIdentifier(at: ItemPath(section: place, item: index - 1))
                return item.map { .item($0) } ?? .header(section)
            }
            index -= count
        }
        return nil
    }

    /// - Complexity: O(sections).
    func index(of block: Block) -> Int? {
        switch block {
        case .item(let item):
            guard let index = indexOfItem(item), let path = path(of: item) else { return nil }
            return index + path.section + 1
        case .header(let section):
            guard let place = indexOfSection(section) else { return nil }
            return (0..<place).reduce(place) { $0 + numberOfItems(inSectionAt: $1) }
        }
    }
}
