import ChatRoom
import ChatWire
import Foundation
import RoomStore

/// The file's note of the store's time, for the next start.
struct TimeNote: Equatable {
    /// No instant that was given is later. It is noted ahead, so that it is written once a second at most.
    var latest: Milliseconds
    /// The time by which the store's time was last ahead of the clock.
    var lead: Milliseconds

    /// Writes ``latest`` and ``lead``.
    static let sql = "UPDATE store SET latest = ?1, lead = ?2"

    /// Returns the note to write with a batch; `nil` if this one still holds.
    ///
    /// - Parameter lead: the present one.
    func following(_ batch: [BatchEntry], lead: Milliseconds) -> TimeNote? {
        guard let last = batch.compactMap(\.operation?.operation.instant).max() else { return nil }
        guard last > latest || abs(lead - self.lead) > StoreTime.tolerance else { return nil }
        return TimeNote(latest: max(latest, min(last, StoreTime.limit) + StoreTime.tolerance), lead: lead)
    }
}

extension Connection {
    borrowing func timeNote() throws(RoomStoreError) -> TimeNote {
        let note = try Statement("SELECT latest, lead FROM store", on: self).first { (row) throws(RoomStoreError) in
            TimeNote(latest: row.integer(0), lead: row.integer(1))
        }
        // Damaged values say nothing.
        guard let note, (0...2 * StoreTime.limit).contains(note.latest),
            (-StoreTime.limit...StoreTime.limit).contains(note.lead)
        else { return TimeNote(latest: 0, lead: 0) }
        return note
    }
}

extension Milliseconds {
    static var timeOfDay: Milliseconds { Milliseconds(Date.now.timeIntervalSince1970 * 1_000) }
}
