/// What the absences of some histories were like: a law over histories in which nothing happens says nothing.
package struct AbsenceTally: Equatable, Sendable {
    package private(set) var absences = 0
    /// Those after which the reader had a gap.
    package private(set) var gaps = 0
    /// Those for which the store was asked, as the room did not remember enough.
    package private(set) var readings = 0
    /// Those after which the server let go of rows that the reader held.
    package private(set) var losses = 0
    /// Those that began before what the store remembers of deletions.
    package private(set) var forgotten = 0

    package init() {}

    package var report: String {
        "\(absences) absences, \(gaps) left a gap, \(readings) took a reading of the store, after \(losses) rows were let "
            + "go of, and \(forgotten) began before what is remembered"
    }

    mutating func add(gap: Bool, reading: Bool, loss: Bool, forgotten: Bool) {
        absences += 1
        gaps += gap ? 1 : 0
        readings += reading ? 1 : 0
        losses += loss ? 1 : 0
        self.forgotten += forgotten ? 1 : 0
    }

    package static func += (sum: inout AbsenceTally, more: AbsenceTally) {
        sum.absences += more.absences
        sum.gaps += more.gaps
        sum.readings += more.readings
        sum.losses += more.losses
        sum.forgotten += more.forgotten
    }
}
