import CommandLineFlags
import Dispatch
import Testing

struct ProgramTests {
    private let program = Program(
        name: "thing", summary: "does a thing", operands: "URL", operandCount: 0...1,
        flags: [
            Flag("listen", "HOST:PORT", "Where.", default: "127.0.0.1:8080"), Flag("loops", "N", "How many."),
            Flag("log-level", "LEVEL", "What."), Flag("verbose", "Say more."),
        ])

    private func parse(_ words: String..., environment: [String: String] = [:]) throws(FlagError) -> FlagValues {
        try program.parse(["thing"] + words, environment: environment)
    }

    @Test
    func aFlagIsReadInEitherSpellingAndAfterOperands() throws {
        let values = try parse("--loops=3", "ws://x", "--listen", ":1", "--verbose")

        #expect(values["loops"] == "3" && values["listen"] == ":1" && values.isOn("verbose"))
        #expect(values.operands == ["ws://x"])
    }

    @Test
    func severalCommandLinesAreReadAtOnce() {
        let program = program
        DispatchQueue.concurrentPerform(iterations: 2_000) { number in
            let values = try? program.parse(["thing", "--loops", "\(number)", "ws://\(number)"], environment: [:])
            #expect(values?["loops"] == "\(number)" && values?.operands == ["ws://\(number)"])
        }
    }

    @Test
    func theEnvironmentIsReadAndAFlagWins() throws {
        let environment = ["THING_LOG_LEVEL": "debug", "THING_LOOPS": "2", "THING_VERBOSE": "1"]
        let values = try parse("--loops", "4", environment: environment)

        #expect(values["log-level"] == "debug" && values["loops"] == "4" && values.isOn("verbose"))
    }

    @Test
    func whatIsNotGivenHasItsDefault() throws {
        let values = try parse()

        #expect(values["listen"] == "127.0.0.1:8080" && values["loops"] == nil && !values.isOn("verbose"))
    }

    @Test
    func anUnknownFlagIsRefusedWithTheNearestName() {
        #expect(throws: FlagError.unknown("--lisen", nearest: "listen")) { try parse("--lisen", "x") }
        #expect(throws: FlagError.unknown("--quux", nearest: nil)) { try parse("--quux") }
        #expect(throws: FlagError.unknown("-x", nearest: nil)) { try parse("-x") }
    }

    @Test
    func aMissingOrNeedlessValueIsNamed() {
        #expect(throws: FlagError.missingValue("loops", "N")) { try parse("--loops") }
        #expect(throws: FlagError.needlessValue("verbose")) { try parse("--verbose=yes") }
        #expect(throws: FlagError.ambiguous("--l")) { try parse("--l", "1") }
        #expect(throws: FlagError.operands(found: 2, expected: "URL")) { try parse("a", "b") }
    }

    @Test
    func aFlagWithOneValueIsGivenOnce() throws {
        #expect(throws: FlagError.repeated("loops")) { try parse("--loops", "1", "--loop=2") }
        #expect(try parse("--verbose", "--verbose").isOn("verbose"))
    }

    @Test
    func aNumberOutsideItsRangeIsRefused() throws {
        let values = try parse("--loops", "many")

        #expect(throws: FlagError.badValue("loops", "many", "must be a whole number from 1 to 8")) {
            try values.number("loops", in: 1...8)
        }
    }

    /// This works without the standard library, which finds the arguments only if nothing was moved.
    @Test
    func theProcessKnowsItsOwnArguments() {
        #expect(!ProcessArguments.all.isEmpty)
        #expect(ProcessArguments.all == CommandLine.arguments)
    }

    @Test
    func helpNamesEveryFlag() {
        for flag in program.flags where !flag.has(.hidden) { #expect(program.help.contains("--\(flag.name)")) }
    }
}
