import CommandLineFlags
import Testing

/// The variables of each program, and the errors for unknown ones.
struct VariableTests {
    private let copy = Program(
        name: "thingd copy", summary: "copies",
        flags: [Flag("data", "FILE", "What."), Flag("to", "FILE", "Where.")])
    private var server: Program {
        Program(
            name: "thingd", summary: "serves things",
            flags: [Flag("listen", "HOST:PORT", "Where."), Flag("data", "FILE", "What.")],
            subcommands: [Subcommand(copy) { fatalError("no test carries it out") }],
            neighbours: .init(mistaken: "THING"))
    }
    private let client = Program(
        name: "thing", summary: "looks at things", flags: [Flag("room", "NAME", "Which.")],
        neighbours: .init(variables: ["THING_TOKEN"], longer: ["THING_LOAD"]))

    private func refusal(_ program: Program, _ names: String..., words: [String] = []) -> String? {
        let environment = Dictionary(names.map { ($0, "1") }) { first, _ in first }
        do {
            _ = try program.parse([program.name] + words, environment: environment)
            return nil
        } catch {
            return error.description
        }
    }

    @Test
    func aVariableThatNobodyReadsIsRefusedWithTheNearestName() {
        #expect(
            refusal(server, "THINGD_LISEN")
                == "there is no variable THINGD_LISEN; did you mean THINGD_LISTEN?: unset it; --help lists them all")
        #expect(
            refusal(server, "THINGD_QUUX_QUUX", "THINGD_BAR_BAR_BAR")?.components(of: "there is no variable") == 2)
    }

    @Test
    func variablesOfOtherProgramsAreNothingToThisOne() {
        #expect(refusal(client, "THINGD_LISTEN", "THINGD_CONFIG", "THING_LOAD_RATE", "THING_TOKEN", "PATH") == nil)
        #expect(refusal(server, "THING_ROOM", "THING_CONFIG", "THING_TOKEN") == nil)
    }

    @Test
    func aSettingUnderTheOtherProgramsPrefixIsRefusedWithTheRightOne() {
        #expect(refusal(server, "THING_LISTEN")?.contains("did you mean THINGD_LISTEN?") == true)
    }

    @Test
    func aProgramAndItsSubcommandsKnowEachOthersVariables() throws {
        #expect(refusal(server, "THINGD_TO") == nil)

        let values = try copy.parse(
            ["thingd copy"], environment: ["THINGD_LISTEN": ":1", "THINGD_DATA": "x"], of: server)

        #expect(values["data"] == "x" && values["to"] == nil)
        #expect(throws: FlagError.self) {
            try copy.parse(["thingd copy"], environment: ["THINGD_LISEN": ":1"], of: server)
        }
    }

    /// Kubernetes sets them in every container, for a service with the program's name.
    @Test(arguments: [
        "THING_SERVICE_HOST", "THING_SERVICE_PORT", "THING_SERVICE_PORT_HTTP", "THING_PORT", "THING_PORT_80_TCP",
        "THING_PORT_80_TCP_ADDR",
    ])
    func whatAClusterSetsIsLetBe(name: String) {
        #expect(refusal(client, name) == nil)
    }

    @Test
    func whatAsksForHelpGetsItWhateverIsSet() {
        #expect(refusal(server, "THINGD_LISEN", words: ["--help"]) == nil)
    }

    @Test
    func helpExplainsWithAVariableOfItsOwn() {
        #expect(client.help.contains("--room as THING_ROOM") && !client.help.contains("LOG_LEVEL"))
        #expect(copy.help.contains("--data as THINGD_DATA"))
    }
}

extension String {
    fileprivate func components(of part: String) -> Int {
        ranges(of: part).count
    }
}
