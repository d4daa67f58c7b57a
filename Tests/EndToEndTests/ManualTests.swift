import Foundation
import TestSupport
import Testing

/// Manual pages and shell completion: both from the table of flags.
@Suite(.timeLimit(.minutes(2)), .enabled(if: StoreOfTheRun.current == .sqlite, "about no store"))
struct ManualTests {
    static let programs = ["diffroomd", "diffroom", "diffroom-load"]

    private func output(_ name: String, _ arguments: String...) async throws -> String {
        let program = try RunningProgram(name, arguments)
        while await program.line() != nil {}
        #expect(await program.end() == .exit(0))
        return program.lines.joined(separator: "\n")
    }

    /// The flags that `--help` lists.
    private func flags(_ name: String) async throws -> [String] {
        try await output(name, "--help").matches(of: /(?m)^  --([a-z-]+)/).map { String($0.output.1) }
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

    @Test
    func bashCompletesFlagsAndTheirValues() async throws {
        let script = try await output("diffroomd", "--completion", "bash")
        let ask = { (words: String) in
            script + "\nCOMP_WORDS=(\(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _diffroomd; echo ${COMPREPLY[*]}"
        }

        #expect(try await output("/bin/bash", "-c", ask("diffroomd --log-l")) == "--log-level")
        #expect(try await output("/bin/bash", "-c", ask("diffroomd --log-level w")) == "warning")
    }
}
