/// The change sets of the stages of a change, found from places alone.
///
/// New sections come beside the nearest section before them that does not move, so they need not move. Until the sections
/// that go are deleted, the stages count them, too.
///
/// - Complexity: O(changes · log changes), and O(sections) if sections come, go or move.
struct StagePlan {
    /// A section of the list between the stages: one of the old list, by its old place, or a new one, by its new place.
    enum Place {
        case old(Int)
        case new(Int)
    }

    /// The items that are in the old list only, by their old places, also those of sections that go.
    private(set) var deletedItems: [ItemPath] = []
    /// The sections after new ones came, and before any goes or moves. Empty if no section comes, goes or moves.
    private(set) var sections: [Place] = []
    private(set) var itemDeletions = ChangeSet()
    private(set) var sectionInsertions = ChangeSet()
    private(set) var arrivals = ChangeSet()
    private(set) var sectionDeletions = ChangeSet()
    private(set) var sectionMoves = ChangeSet()

    /// For each section of the old list, and of the new one, its place in `sections`.
    private var (placesOfOld, placesOfNew): ([Int], [Int]) = ([], [])

    init(_ changes: ChangeSet, oldCounts: [Int]) {
        deletedItems = changes.deletedItems
        if !changes.deletedSections.isEmpty { addRowsOfDeletedSections(changes, oldCounts) }
        itemDeletions.deletedItems = deletedItems
        itemDeletions.itemCounts = oldCounts
        for path in deletedItems { itemDeletions.itemCounts[path.section] -= 1 }
        arrivals.itemCounts = changes.itemCounts
        if changes.changesSections {
            orderSections(changes, oldCounts.count)
            planSections(changes)
        }
        planArrivals(changes)
    }

    /// Adds the rows of sections that go, except those that move out.
    private mutating func addRowsOfDeletedSections(_ changes: ChangeSet, _ oldCounts: [Int]) {
        let moved = Set(changes.movedItems.map(\.from))
        for section in changes.deletedSections {
            for item in 0..<oldCounts[section] {
                let path = ItemPath(section: section, item: item)
                if !moved.contains(path) { deletedItems.append(path) }
            }
        }
        deletedItems.sort()
    }

    private mutating func orderSections(_ changes: ChangeSet, _ oldCount: Int) {
        let origins = changes.oldPlacesOfSections()
        let moved = Set(changes.movedSections.map(\.to))
        var (front, following): ([Int], [Int: [Int]]) = ([], [:])
        var anchor: Int?
        for (place, origin) in origins.enumerated() where !moved.contains(place) {
            if origin >= 0 {
                anchor = origin
            } else if let anchor {
                following[anchor, default: []].append(place)
            } else {
                front.append(place)
            }
        }
        sections = front.map { .new($0) }
        for place in 0..<oldCount {
            sections.append(.old(place))
            sections += (following[place] ?? []).map { .new($0) }
        }
        placesOfOld = Array(repeating: 0, count: oldCount)
        placesOfNew = Array(repeating: 0, count: origins.count)
        for (place, section) in sections.enumerated() {
            switch section {
            case .old(let old): placesOfOld[old] = place
            case .new(let new): placesOfNew[new] = place
            }
        }
        for (place, origin) in origins.enumerated() where origin >= 0 { placesOfNew[place] = placesOfOld[origin] }
    }

    private mutating func planSections(_ changes: ChangeSet) {
        sectionInsertions.insertedSections = changes.insertedSections.map { placesOfNew[$0] }.sorted()
        sectionInsertions.itemCounts = sections.map { section in
            switch section {
            case .old(let place): itemDeletions.itemCounts[place]
            case .new: 0
            }
        }
        arrivals.itemCounts = Array(repeating: 0, count: sections.count)
        for (place, count) in changes.itemCounts.enumerated() { arrivals.itemCounts[placesOfNew[place]] = count }

        sectionDeletions.deletedSections = changes.deletedSections.map { placesOfOld[$0] }
        let gone = Set(sectionDeletions.deletedSections)
        let staying = sections.indices.filter { !gone.contains($0) }
        sectionDeletions.itemCounts = staying.map { arrivals.itemCounts[$0] }
        var places = Array(repeating: 0, count: sections.count)
        for (place, section) in staying.enumerated() { places[section] = place }
        sectionMoves.itemCounts = changes.itemCounts
        sectionMoves.movedSections = changes.movedSections.map {
            ChangeSet.Step(from: places[placesOfOld[$0.from]], to: $0.to)
        }
    }

    /// Translates the moves and insertions of items into the places of the list between the stages.
    private mutating func planArrivals(_ changes: ChangeSet) {
        arrivals.movedItems = changes.movedItems
        arrivals.insertedItems = changes.insertedItems
        for (i, step) in changes.movedItems.enumerated() {
            arrivals.movedItems[i].from.item -= deletedItems.number(before: step.from)
        }
        if !changes.changesSections { return }
        for (i, step) in changes.movedItems.enumerated() {
            arrivals.movedItems[i].from.section = placesOfOld[step.from.section]
            arrivals.movedItems[i].to.section = placesOfNew[step.to.section]
        }
        let moved = changes.insertedSections.isEmpty ? [] : Set(changes.movedItems.map(\.to))
        for section in changes.insertedSections {
            for item in 0..<changes.itemCounts[section] {
                let path = ItemPath(section: section, item: item)
                if !moved.contains(path) { arrivals.insertedItems.append(path) }
            }
        }
        for i in arrivals.insertedItems.indices {
            arrivals.insertedItems[i].section = placesOfNew[arrivals.insertedItems[i].section]
        }
        arrivals.insertedItems.sort()
        arrivals.movedItems.sort { $0.to < $1.to }
    }
}
