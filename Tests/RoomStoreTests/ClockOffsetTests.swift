import Testing

@testable import PostgresStore

/// The comparison of a server's clock with the database's.
struct ClockOffsetTests {
    private func offset(_ sent: Double, time: Double, answer: Double) -> ClockOffset {
        ClockOffset(sent: .seconds(sent), time: .seconds(time), answer: .seconds(answer))
    }

    /// The database's answer may be of any moment of the round trip.
    @Test(arguments: [
        (100.0, 0.0), (100.5, 0.0), (104.0, 0.0), (99.0, 1.0), (95.0, 5.0), (105.0, -1.0), (3_704.0, -3_600.0),
    ])
    func onlyWhatExceedsTheRoundTripCounts(answer: Double, expected: Double) {
        #expect(offset(100, time: 4, answer: answer).least == .seconds(expected))
    }

    @Test(arguments: [97.0, 98.5, 101.5, 103.0])
    func moreThanTwoSecondsAreWrongInEitherDirection(answer: Double) {
        let offset = offset(100, time: 0, answer: answer)

        #expect(offset.isWrong == (abs(answer - 100) > 2) && offset.isRight == !offset.isWrong)
    }

    /// Otherwise one slow answer would end a warning that the next one begins again.
    @Test(arguments: [95.0, 99.0, 103.0, 107.0])
    func anAnswerThatIsTooSlowToTellIsNeitherRightNorWrong(answer: Double) {
        let offset = offset(100, time: 5, answer: answer)

        #expect(!offset.isRight)
        #expect(offset.isWrong == (answer == 95.0))
    }
}
