import Foundation
import TestSupport
import Testing

/// Manual pages and shell completion, both generated from the table of flags.
@Suite(.timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "about no store"))
struct ManualTests {
    static let programs = ["diffroomd", "diffroom", "diffroom-load"]
    static let subcommands = [
        ["diffroomd", "backup"], ["diffroomd", "restore"], ["diffroomd", "check"], ["diffroomd", "epoch"],
        ["diffroomd", "reshard"], ["diffroomd", "token"], ["diffroom", "export"], ["diffroom", "import"],
    ]

    private func output(_ name: String, _ arguments: String...) async throws -> String {
        try await output([name] + arguments)
    }

    private func output(_ words: [String]) async throws -> String {
        let (name, arguments) = (words[0], Array(words.dropFirst()))
        let program = try RunningProgram(name, arguments)
        while await program.line() != nil {}
        #expect(await program.end() == .exit(0))
        return program.lines.joined(separator: "\n")
    }

    /// The flags that `--help` lists.
    private func flags(_ words: String...) async throws -> [String] {
        try await output(words + ["--help"]).matches(of: /(?m)^  --([a-z-]+)/).map { String($0.output.1) }
    }

    @Test(arguments: programs)
    func theManualHasEveryFlag(name: String) async throws {
        let page = try await output(name, "--man")

        #expect(page.hasPrefix(".TH \(name.uppercased()) "))
        for flag in try await flags(name) {
            #expect(page.contains("\\-\\-" + flag.replacing("-", with: "\\-") + "\\fR"), "\(flag)")
        }
    }

    @Test(arguments: programs, ["bash", "zsh", "fish"])
    func everyShellCompletesEveryFlag(name: String, shell: String) async throws {
        let script = try await output(name, "--completion", shell)

        for flag in try await flags(name) {
            let spelling = shell == "fish" ? " -l \(flag)" : "--\(flag)"
            #expect(script.contains(spelling), "\(flag)")
        }
    }

    @Test(arguments: subcommands)
    func everySubcommandHasAManualAndIsCompleted(words: [String]) async throws {
        let page = try await output(words + ["--man"])
        let main = try await output(words[0], "--man")
        let flags = try await flags(words[0], words[1])

        let section = words[0] == "diffroomd" ? 8 : 1
        #expect(page.hasPrefix(".TH \(words.joined(separator: "-").uppercased()) \(section) "))
        #expect(main.contains("\(words[0])\\-\(words[1]) ("))
        for flag in flags { #expect(page.contains("\\-\\-" + flag.replacing("-", with: "\\-") + "\\fR"), "\(flag)") }
        let fish = try await output(words[0], "--completion", "fish")
        for flag in flags { #expect(fish.contains("from \(words[1])' -l \(flag) "), "\(flag)") }
        let zsh = try await output(words[0], "--completion", "zsh")
        for flag in flags { #expect(zsh.contains("--\(flag)["), "\(flag)") }
    }

    @Test(arguments: subcommands)
    func helpListsEverySubcommandWithItsPurpose(words: [String]) async throws {
        let own = try await output(words + ["--help"])
        let main = try await output(words[0], "--help")

        let purpose = try #require(own.split(separator: "\n").first?.split(separator: ": ", maxSplits: 1).last)
        let line = try #require(main.split(separator: "\n").first { $0.hasPrefix("  \(words[1]) ") })
        #expect(line.hasSuffix(" \(purpose)"))
    }

    @Test(arguments: ["backup", "restore", "check"])
    func theServersDataIsThatOfItsSubcommands(word: String) async throws {
        let program = try RunningProgram(
            "diffroomd", [word, "--print-config"], environment: ["DIFFROOMD_DATA": "/x/rooms.db"])

        #expect(await program.line(containing: "\"data\"") == "  \"data\": \"/x/rooms.db\"")
        #expect(await program.end() == .exit(0))
    }

    @Test
    func anEpochBeginsInTheServersDatabases() async throws {
        let program = try RunningProgram(
            "diffroomd", ["epoch", "--print-config"], environment: ["DIFFROOMD_STORE": "postgres://ann:word@db/chat"])

        #expect(await program.line(containing: "store") == "  \"store\": \"(secret)\"")
        #expect(await program.end() == .exit(0))
    }

    @Test
    func theServersSettingsAreNothingToAClient() async throws {
        let program = try RunningProgram(
            "diffroom", ["--print-config"],
            environment: ["DIFFROOMD_CONFIG": "/no/such", "DIFFROOMD_LISTEN": "127.0.0.1:1"])
        #expect(await program.end() == .exit(0))
        let mistaken = try RunningProgram("diffroomd", [], environment: ["DIFFROOM_LISTEN": "127.0.0.1:1"])
        #expect(await mistaken.complaint(containing: "did you mean DIFFROOMD_LISTEN?") != nil)
        #expect(await mistaken.end() == .exit(2))
    }

    @Test
    func bashCompletesFlagsAndTheirValues() async throws {
        let script = try await output("diffroomd", "--completion", "bash")
        let ask = { (words: String) in
            script + "\nCOMP_WORDS=(\(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _diffroomd; echo ${COMPREPLY[*]}"
        }

        #expect(try await output("/bin/bash", "-c", ask("diffroomd --log-l")) == "--log-level")
        #expect(try await output("/bin/bash", "-c", ask("diffroomd --log-level w")) == "warning")
        #expect(try await output("/bin/bash", "-c", ask("diffroomd ba")) == "backup")
        #expect(try await output("/bin/bash", "-c", ask("diffroomd token --gr")) == "--grant")
        #expect(try await output("/bin/bash", "-c", ask("diffroomd token --lis")) == "")
    }
}
