package import ChatWire

/// The effects of a repair.
package struct RepairReport: Equatable, Sendable {
    package private(set) var repaired = 0
    /// The number of faults that remain, because no operations decide what is right.
    package private(set) var remaining = 0

    package init() {}

    /// Adds a fault that no repair can end.
    package mutating func add(_ problem: String, _ report: (String) -> Void) {
        report("\(problem)\n  not put right: the operations do not say what is right")
        remaining += 1
    }

    /// Adds the faults of a room.
    ///
    /// - Parameter remaining: the faults that a check finds after the repair.
    package mutating func add(
        _ found: [Finding], remaining: [Finding], of room: RoomName, _ report: (String) -> Void
    ) {
        for finding in found where !finding.repairs.isEmpty {
            report("room \(room): \(finding.text)\n  put right\(finding.caveat.map { ": \($0)" } ?? "")")
            repaired += 1
        }
        for finding in remaining { add("room \(room): \(finding.text)", report) }
    }
}
