import ChatWire
import Testing

@testable import diffroom

/// The times that a person enters for later.
struct LaterTimeTests {
    private let clock = WallClock()

    private func moment(_ day: String, _ hour: Int32, _ minute: Int32) throws -> Milliseconds {
        try #require(clock.time(onDay: day, hour: hour, minute: minute))
    }

    @Test func timesAreOfTheUsersClock() throws {
        let noon = try moment("2026-12-31", 12, 0)

        #expect(LaterTime.after(1_200_000).time(at: noon) == noon + 1_200_000)
        #expect(try LaterTime.next(hour: 12, minute: 1).time(at: noon) == moment("2026-12-31", 12, 1))
        #expect(try LaterTime.next(hour: 12, minute: 0).time(at: noon) == moment("2027-01-01", 12, 0))
        #expect(try LaterTime.next(hour: 9, minute: 30).time(at: noon) == moment("2027-01-01", 9, 30))
        #expect(try LaterTime.tomorrow(hour: 18, minute: 0).time(at: noon) == moment("2027-01-01", 18, 0))
        #expect(try LaterTime.on("2028-02-29", hour: 7, minute: 5).time(at: noon) == moment("2028-02-29", 7, 5))
        #expect(clock.time(try moment("2028-02-29", 7, 5)) == "07:05")
        #expect(clock.date(try moment("2028-02-29", 23, 59)) == "2028-02-29")
        #expect(throws: InputError.self) { try LaterTime.on("2020-01-01", hour: 9, minute: 0).moment(at: noon) }
        #expect(throws: InputError.self) { try LaterTime.on("2028-01-03", hour: 9, minute: 0).moment(at: noon) }
        #expect(clock.time(onDay: "2027-02-29", hour: 9, minute: 0) == nil)
    }
}
