import ChatWire
import RoomStore
import TestSupport
import Testing

@testable import PostgresStore

/// A database of format 20 that is opened.
struct PostgresClockUpgradeTests {
    @Test func aDatabaseGetsRightTimesAndTheCheckFindsNothingWrong() throws {
        let (now, address) = (Milliseconds.timeOfDay, try PostgresAddress.unused())
        do {
            let store = try PostgresStore(address)
            for operation in ClockHistory.operations(at: now) {
                #expect(try store.commit([operation]).first?.revision != nil)
            }
            try store.close()
        }
        let connection = try Connection.open(address, seeing: History())
        for sql in [
            "ALTER TABLE operations DROP COLUMN drift", "ALTER TABLE store DROP COLUMN lead", "DELETE FROM servers",
            "ALTER TABLE rooms DROP COLUMN members, DROP COLUMN standings, DROP COLUMN senders, DROP COLUMN sized, DROP COLUMN pins",
            "DROP TABLE drafts", "DROP TABLE later", "DROP TABLE blocks", "DROP INDEX standings_over",
            "DROP INDEX last_sends_time",
            "UPDATE store SET format = 20, in_force = 20", "UPDATE operations SET format = 20",
        ] { try connection.run([.run(sql)]) }

        try ClockHistory.requireRightTimes(of: PostgresStore(address), at: now)

        var problems: [String] = []
        _ = try PostgresStore.check(at: address) { problems.append($0) }
        #expect(problems == [])
    }
}
