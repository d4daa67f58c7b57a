import Testing

@testable import Simulation

/// What is not understood is not played as something else.
struct PlanTests {
    @Test func aRunIsACampaignAScheduleOrHistories() throws {
        let fault = ["SEED": "7", "SABOTAGE": "lostDeletion", "TELL": "1"]

        #expect(try Plan(arguments: [], environment: [:]) == .campaign(1..<10_001))
        #expect(try Plan(arguments: ["200", "5"], environment: [:]) == .campaign(5..<205))
        #expect(try Plan(arguments: [], environment: ["SEED": "7"]) == .schedule(7, nil, isTold: false))
        #expect(try Plan(arguments: [], environment: fault) == .schedule(7, .lostDeletion, isTold: true))
        #expect(try Plan(arguments: ["30"], environment: ["HISTORY": "9"]) == .histories(9..<39))
    }

    @Test(arguments: Sabotage.allCases)
    func eachFaultHasAName(sabotage: Sabotage) throws {
        let environment = ["SEED": "1", "SABOTAGE": "\(sabotage)"]

        #expect(try Plan(arguments: [], environment: environment) == .schedule(1, sabotage, isTold: false))
    }

    @Test(arguments: [
        ([], ["SEED": "1", "SABOTAGE": "lostDeletoin"], PlanError.noSabotage("lostDeletoin")),
        ([], ["SEED": "1", "SABOTAGE": ""], .noSabotage("")),
        ([], ["SABOTAGE": "lostDeletion"], .withoutSeed("SABOTAGE")),
        ([], ["HISTORY": "1", "SEED": "1", "TELL": "1"], .withoutSeed("TELL")),
        ([], ["SEED": "one"], .notANumber("one", of: "SEED")),
        ([], ["HISTORY": "-1"], .notANumber("-1", of: "HISTORY")),
        (["10k"], [:], .notANumber("10k", of: "an argument")),
        (["1", "2", "3"], [:], .operands(found: 3, most: 2)),
        (["1"], ["SEED": "1"], .operands(found: 1, most: 0)),
        (["1", "2"], ["HISTORY": "1"], .operands(found: 2, most: 1)),
        (["2", "18446744073709551615"], [:], .tooFar(.max, 2)),
    ])
    func aMistakeIsNamed(arguments: [String], environment: [String: String], error: PlanError) {
        #expect(throws: error) { try Plan(arguments: arguments, environment: environment) }
    }

    @Test func whoMisspellsAFaultIsToldTheNames() {
        let told = PlanError.noSabotage("lostDeletoin").description

        #expect(told.hasPrefix("SABOTAGE: there is no 'lostDeletoin'; there are droppedDiff, "))
    }
}
