import CommandLineFlags
import Foundation
import TestSupport
import Testing

/// Settings from a file, and their precedence with the environment and the command line.
struct ConfigurationFileTests {
    private let folder = TemporaryFolder()
    private let program = Program(
        name: "thing", summary: "does a thing",
        flags: [
            Flag("listen", "HOST:PORT", "Where.", default: "127.0.0.1:8080"), Flag("loops", "N", "How many."),
            Flag("origin", "URL", "Who.", .repeatable), Flag("key", "TEXT", "What opens it.", .secret),
            Flag("verbose", "Say more."), Flag("log-level", "LEVEL", "What.", default: "info", .live),
        ])

    private var path: String { folder.file("thing.json") }

    private func parse(
        _ json: String, _ words: String..., environment: [String: String] = [:]
    ) throws -> FlagValues {
        try json.write(toFile: path, atomically: true, encoding: .utf8)
        return try program.parse(["thing", "--config", path] + words, environment: environment)
    }

    /// Returns the mistakes in `json`, without the file's name.
    private func complaints(_ json: String) throws -> [String] {
        let all = #expect(throws: FlagError.self) { try parse(json) }
        return "\(try #require(all))".components(separatedBy: "\n").map { $0.replacing(path, with: "FILE") }
    }

    private func answer(_ words: String..., environment: [String: String] = [:]) -> Invocation<Int> {
        program.invocation(["thing"] + words, environment: environment, version: "1") { _ in 1 }
    }

    @Test
    func aFileSetsWhatAFlagWould() throws {
        let values = try parse(#"{"listen": ":1", "loops": 3, "verbose": true, "origin": ["a", "b"]}"#)

        #expect(values["listen"] == ":1" && values["loops"] == "3" && values.isOn("verbose"))
        #expect(values.all("origin") == ["a", "b"])
    }

    @Test
    func aFlagWinsOverTheEnvironmentAndThatOverTheFile() throws {
        let json = #"{"listen": ":1", "loops": 1, "log-level": "error", "origin": "file", "verbose": true}"#
        let environment = [
            "THING_LOOPS": "2", "THING_LOG_LEVEL": "debug", "THING_ORIGIN": "a,b", "THING_VERBOSE": "0",
        ]

        let values = try parse(json, "--loops", "3", environment: environment)

        #expect(values["listen"] == ":1" && values["log-level"] == "debug" && values["loops"] == "3")
        #expect(values.all("origin") == ["a", "b"] && !values.isOn("verbose"))
    }

    /// Mistakes in the environment, in the file, and in the meaning of values.
    @Test
    func allThatIsWrongIsSaidAtOnce() throws {
        try #"{"lops": 3, "listen": ":1", "loops": "many"}"#.write(toFile: path, atomically: true, encoding: .utf8)
        let environment = ["THING_VERBOSE": "perhaps", "THING_LISEN": ":2"]

        let invocation: Invocation<Int> = program.invocation(
            ["thing", "--config", path, "--check-config"], environment: environment, version: "1"
        ) { values throws(FlagError) in values["loops"] == nil ? 1 : try values.number("loops", in: 1...3) }

        guard case .refused(let errors) = invocation else {
            Issue.record("\(invocation)")
            return
        }
        let said = errors.map(\.description)
        #expect(said.count == 4, "\(said)")
        for part in ["THING_LISEN", "THING_VERBOSE", "'lops'", "loops: 'many'"] {
            #expect(said.contains { $0.contains(part) }, "\(part) of \(said)")
        }
    }

    @Test
    func aRepeatedFlagReplacesTheWholeArrayOfTheFile() throws {
        let values = try parse(#"{"origin": ["a", "b"]}"#, "--origin", "c", "--origin=d")

        #expect(values.all("origin") == ["c", "d"])
    }

    @Test
    func aSubcommandPassesOverWhatIsItsProgramsOwn() throws {
        let copy = Program(name: "thing copy", summary: "copies", flags: [Flag("loops", "N", "How many.")])
        try #"{"loops": 5, "listen": ":1"}"#.write(toFile: path, atomically: true, encoding: .utf8)

        #expect(try copy.parse(["thing copy", "--config", path], environment: [:], of: program)["loops"] == "5")
        try #"{"loops": 5, "lisen": ":1"}"#.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(throws: FlagError.self) {
            try copy.parse(["thing copy", "--config", path], environment: [:], of: program)
        }
    }

    @Test
    func theEnvironmentCanNameTheFile() throws {
        try #"{"loops": 5}"#.write(toFile: path, atomically: true, encoding: .utf8)

        #expect(try program.parse(["thing"], environment: ["THING_CONFIG": path])["loops"] == "5")
    }

    @Test
    func everythingWrongIsNamedWithItsLineAtOnce() throws {
        let json = """
            {
              "lisen": ":1",
              "loops": true,
              "verbose": "yes",
              "listen": ["a"],
              "origin": [{}],
              "version": true,
              "config": "other.json",
              "loops": 2,
              "quux": null
            }
            """

        #expect(
            try complaints(json) == [
                "FILE, line 2: there is no setting 'lisen'; did you mean 'listen'?; --help lists them all",
                "FILE, line 3: loops: found a boolean, must be a string or a number",
                "FILE, line 4: verbose: found a string, must be true or false",
                "FILE, line 5: listen: found an array, must be a string or a number",
                "FILE, line 6: origin: found an object, must be a string or a number, or an array of them",
                "FILE, line 7: 'version' can only be given on the command line",
                "FILE, line 8: 'config' can only be given on the command line",
                "FILE, line 9: 'loops' stands on line 3 already",
                "FILE, line 10: there is no setting 'quux'; --help lists them all",
            ])
    }

    @Test
    func aFileThatIsNoObjectOrNotThereIsNamed() throws {
        #expect(try complaints("{\n\"loops\": 1,\n}") == ["FILE, line 3: found '}', must be a key in quotes"])
        #expect(try complaints("[]") == ["FILE, line 1: found an array, must be an object: {\"listen\": …}"])
        #expect(throws: FlagError.badFile("/no/such", line: nil, "cannot be read: No such file or directory")) {
            try program.parse(["thing", "--config", "/no/such"], environment: [:])
        }
    }

    @Test
    func whatIsPrintedIsReadBackAsItWas() throws {
        let values = try parse(#"{"loops": 3, "origin": ["a", "7"], "listen": "[::1]:80\"\\\u0007"}"#, "--verbose")
        guard case .answer(let text, let aside) = answer("--config", path, "--verbose", "--print-config") else {
            Issue.record("no answer")
            return
        }

        let again = try parse(text)

        #expect(again.changes(from: values).map(\.name) == [])
        #expect(
            aside == "listen from \(path), line 1\nloops from \(path), line 1\norigin from \(path), line 1\n"
                + "verbose from the command line")
    }

    @Test
    func aSecretIsNotPrintedAndItsMaskIsNotTakenForOne() throws {
        guard case .answer(let text, _) = answer("--print-config", environment: ["THING_KEY": "hunter2"]) else {
            Issue.record("no answer")
            return
        }

        #expect(!text.contains("hunter2") && text.contains(#""key": "(secret)""#))
        #expect(try complaints(text).first?.contains("stands for a secret") == true)
    }

    @Test
    func allThatIsRefusedIsToldWithItsOrigin() throws {
        try "{\n\"log-level\": 7}".write(toFile: path, atomically: true, encoding: .utf8)
        let environment = ["THING_LOOPS": "9"]

        for words in [["--check-config"], []] {
            let invocation = program.invocation(
                ["thing", "--config", path] + words, environment: environment, version: "1"
            ) { values throws(FlagError) in
                _ = try values["loops"] == nil ? 1 : values.number("loops", in: 1...8)
                if values["log-level"] != "info" { _ = try values.number("log-level", in: 0...0) }
            }
            guard case .refused(let errors) = invocation else {
                Issue.record("not refused")
                continue
            }
            #expect(
                errors.map(\.description) == [
                    "THING_LOOPS: '9' must be a whole number from 1 to 8",
                    "\(path), line 2: log-level: '7' must be a whole number from 0 to 0",
                ])
        }
    }

    @Test
    func checkingSaysOkAndLooksAtWhatIsNamed() {
        func check(_ found: FlagError?) -> Invocation<Int> {
            program.invocation(["thing", "--check-config"], environment: [:], version: "1") { _ in
                1
            } check: {
                _ throws(FlagError) in
                if let found { throw found }
            }
        }

        guard case .answer("ok", _) = check(nil) else {
            Issue.record("not ok")
            return
        }
        guard case .refused(let errors) = check(.badValue("key", "x", "is no key")) else {
            Issue.record("not refused")
            return
        }
        #expect(errors == [.badValue("key", "(secret)", "is no key")])
    }

    @Test
    func aSwitchInTheEnvironmentIsOneOrZero() throws {
        #expect(throws: FlagError.badVariable("THING_VERBOSE", "yes", "must be 1 or 0")) {
            try program.parse(["thing"], environment: ["THING_VERBOSE": "yes"])
        }
    }
}
