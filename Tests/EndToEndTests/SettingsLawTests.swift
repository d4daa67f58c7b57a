import Foundation
import TestSupport
import Testing

@testable import CommandLineFlags

/// Laws of the settings of each program: every mistake is told, and nothing that only follows from one.
@Suite(.timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "about no store"))
struct SettingsLawTests {
    private let folder = TemporaryFolder()

    private func programs() throws -> [CheckedProgram] {
        [try .server(in: folder), try .client(in: folder), .load, try .token(in: folder)]
    }

    @Test
    func theTablesNameEveryFlag() throws {
        for program in try programs() {
            #expect(Set(program.settings.map(\.name)) == Set(program.names), "\(program.name)")
        }
    }

    @Test
    func rightSettingsAreAccepted() throws {
        for program in try programs() { #expect(program.errors() == [], "\(program.name)") }
    }

    @Test
    func aWrongValueIsToldAndNothingElse() throws {
        for program in try programs() {
            for setting in program.settings where setting.wrong != nil {
                let errors = program.errors(wrong: [setting.name])

                #expect(errors.count == 1 && errors[0].contains("--\(setting.name)"), "\(program.name): \(errors)")
            }
        }
    }

    @Test
    func ofTwoWrongValuesBothAreTold() throws {
        for program in try programs() {
            let names = program.settings.filter { $0.wrong != nil }.map(\.name)
            for (first, second) in names.enumerated().flatMap({ index, name in names[..<index].map { (name, $0) } }) {
                let errors = program.errors(wrong: [first, second])

                let told = [first, second].allSatisfy { name in errors.contains { $0.contains("--\(name)") } }
                #expect(errors.count == 2 && told, "\(program.name) \(first) \(second): \(errors)")
            }
        }
    }

    @Test(arguments: [
        ("tls-cert", "tls-key"), ("tls-key", "tls-cert"), ("webhook", "webhook-secret-file"),
        ("webhook-secret-file", "webhook"), ("backup-folder", "admin-token-file"), ("proxy-protocol", "trust-proxy"),
    ])
    func whatAnotherFlagNeedsIsToldWhenItIsMissing(flag: String, partner: String) throws {
        let errors = try CheckedProgram.server(in: folder).errors(without: [partner])

        #expect(errors.count == 1 && errors[0].hasPrefix("--\(flag)") && errors[0].contains("needs --\(partner) "))
    }

    @Test
    func listeningForStrangersWithoutKeysIsToldUnlessTheKeysAreWrong() throws {
        let server = try CheckedProgram.server(in: folder)

        #expect(server.errors(without: ["secret"]).map { $0.contains("--listen") } == [true])
        let mistakes = [("DIFFROOMD_INSECURE", "perhaps"), ("DIFFROOMD_KEY", "x"), ("DIFFROOMD_CONFIG", "/no")]
        for (variable, value) in mistakes {
            let errors = server.errors(without: ["secret"], environment: [variable: value])
            #expect(errors.count == 1 && !errors[0].contains("--listen"), "\(errors)")
        }
    }

    @Test
    func whatExcludesEachOtherIsTold() throws {
        let errors = try CheckedProgram.server(in: folder).errors(adding: ["--keys", folder.file("secret")])

        #expect(errors.count == 2 && errors[0].contains("cannot be given together with --keys"), "\(errors)")
    }

    @Test
    func anEmptyValueIsToldWithItsFlag() throws {
        for program in try programs() {
            for flag in program.program.flags where flag.value != nil {
                let errors = program.errors(without: [flag.name], adding: ["--\(flag.name)", ""])

                #expect(errors == ["--\(flag.name) needs a value: \(flag.synopsis)"], "\(program.name)")
            }
        }
    }

    @Test
    func anEmptyValueInTheFileIsToldWithItsLine() throws {
        let path = folder.file("settings.json")
        for program in try programs() {
            for flag in program.program.flags where flag.value != nil && program.names.contains(flag.name) {
                try "{\n\"\(flag.name)\": \"\"}".write(toFile: path, atomically: true, encoding: .utf8)

                let errors = program.errors(without: [flag.name], adding: ["--config", path])

                #expect(errors == ["\(path), line 2: \(flag.name) needs a value: \(flag.value ?? "")"])
            }
        }
    }

    @Test
    func anEmptyVariableIsOneThatIsNotSet() throws {
        for program in try programs() {
            let variables = program.names.map { program.program.environmentName(of: program.program.flag($0)) }

            let errors = program.errors(environment: Dictionary(uniqueKeysWithValues: variables.map { ($0, "") }))

            #expect(errors == [], "\(program.name)")
        }
    }

    @Test
    func anEmptyOrWrongOperandIsTold() throws {
        #expect(try CheckedProgram.client(in: folder).errors(of: [""]).map { $0.contains("ws://HOST:PORT") } == [true])
        #expect(try CheckedProgram.client(in: folder).errors(of: ["x"]) == ["'x' must begin with ws:// or wss://"])
        #expect(CheckedProgram.load.errors(of: [""]) == ["'' is empty, and must be ws://HOST:PORT..."])
        #expect(
            CheckedProgram.load.errors(of: ["x", "--rooms", "0"]).map { $0.prefix(8) } == ["'x' must", "--rooms:"])
    }

    @Test
    func everyWrongValueOfAListIsTold() throws {
        let errors = try CheckedProgram.server(in: folder).errors(
            without: ["origin"], adding: ["--origin", "a, https://b.example,c", "--origin", "d"])

        #expect(errors.map { $0.prefix(13) } == ["--origin: 'a'", "--origin: 'c'", "--origin: 'd'"])
    }

    @Test
    func allThatIsMissingIsTold() throws {
        let errors = try CheckedProgram.token(in: folder).errors(without: ["secret", "user"], wrong: ["ttl"])

        #expect(errors.count == 3, "\(errors)")
        for part in ["--key", "--user", "--ttl"] { #expect(errors.contains { $0.hasPrefix(part) }, "\(errors)") }
    }
}
