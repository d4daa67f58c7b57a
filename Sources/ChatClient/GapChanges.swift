public import Replicas

/// The changes of the gaps between the rows that a client holds of a room. A gap that became smaller is the same one.
///
/// ```swift
/// for gap in change.gaps.appeared { client.fill(gap.id, of: change.room, from: .end) }
/// ```
public struct GapChanges: Equatable, Sendable {
    /// The new gaps, ascending.
    public let appeared: [ListGap]
    /// The gaps that are no longer there, as they were.
    public let closed: [ListGap]

    public var isEmpty: Bool { appeared.isEmpty && closed.isEmpty }

    init(appeared: [ListGap], closed: [ListGap]) {
        self.appeared = appeared
        self.closed = closed
    }

    init(from old: [ListGap], to new: [ListGap]) {
        appeared = new.filter { gap in !old.contains { $0.id == gap.id } }
        closed = old.filter { gap in !new.contains { $0.id == gap.id } }
    }
}
