/// The origins of a few new rows among a few old rows. Each is compared with each, which takes less time than
/// allocating an array for so few.
///
/// - Complexity: O(*n* · *m*) for at most sixteen of each.
struct FewRows {
    /// For each new row, the old row with the same item, or -1.
    var origins = SIMD16<Int32>(repeating: -1)
    /// A bit for each old row that is still there.
    var found: UInt32 = 0

    static var most: Int { 16 }

    init(
        _ old: UnsafeRawPointer, _ oldCount: Int, _ new: UnsafeRawPointer, _ newCount: Int, _ type: RowType
    ) {
        for target in 0..<newCount {
            let row = unsafe new + target * type.stride
            for origin in 0..<oldCount
            where unsafe found >> UInt32(origin) & 1 == 0 && type.areSame(old + origin * type.stride, row) {
                origins[target] = Int32(truncatingIfNeeded: origin)
                found |= 1 << UInt32(origin)
                break
            }
        }
    }

    /// Notes the items that come, go and move between the old and the new rows of a window.
    func addChanges(of window: Window, to changes: inout ChangeSet) {
        for origin in 0..<window.old.count where found >> UInt32(origin) & 1 == 0 {
            changes.deletedItems.append(
                ItemPath(section: window.oldSection, item: window.old.lowerBound + origin))
        }
        let staying = LongestIncreasing.ofFew(origins, SIMD16(repeating: 1), window.new.count)
        for target in 0..<window.new.count {
            let to = ItemPath(section: window.newSection, item: window.new.lowerBound + target)
            if origins[target] < 0 {
                changes.insertedItems.append(to)
            } else if staying >> UInt32(target) & 1 == 0 {
                let from = ItemPath(
                    section: window.oldSection, item: window.old.lowerBound + Int(origins[target]))
                changes.movedItems.append(ChangeSet.Step(from: from, to: to))
            }
        }
    }
}
