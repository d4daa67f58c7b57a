import Foundation
import Testing

/// A room of which only parts are on the screen's side, with everybody's real programs.
extension OnTheScreen {
    @Suite struct GapTests {
        private let server: ServerProcess

        init() throws {
            server = try ServerProcess()
        }

        private func numbers(_ lines: [String]) -> [Int] {
            lines.compactMap { $0.wholeMatch(of: /[▌ ]+line (\d+)/).flatMap { Int($0.1) } }
        }

        /// Whether the connection is up, all is loaded, and the lines on the screen follow each other without a hole.
        private func isWhole(_ lines: [String]) -> Bool {
            let numbers = numbers(lines)
            return lines.contains { $0.contains("● online") } && !lines.contains { $0.contains("not loaded") }
                && zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 }
        }

        /// Returns the numbers of the lines on the screen.
        private func page(of screen: TmuxScreen, where isSo: ([Int]) -> Bool) throws -> [Int] {
            numbers(try screen.wait(for: "lines in their order") { isWhole($0) && isSo(numbers($0)) })
        }

        @Test func whoReadsInThePastComesBackToTheSameRowsAndTheNewestAreOneKeyAway() throws {
            try server.say((1...300).map { "line \($0)" }, as: "bob")
            let ann = try TmuxScreen(server.screen("ann") + " --limit 200", columns: 60)
            try ann.wait(for: "line 300")
            for _ in 0..<5 { try ann.press("PageUp") }
            var before = try page(of: ann) { ($0.first ?? 300) < 190 }

            try server.hear((301...1_300).map { "line \($0)" }, as: "bob") {
                try ann.wait(for: "offline")
            }
            let after = try ann.wait(for: "↓ 200+ new")
            #expect(numbers(after) == before)

            // What was missed comes page by page, without a hole and without a jump.
            while let last = before.last, last < 400 {
                try ann.press("PageDown")
                let next = try page(of: ann) { ($0.last ?? 0) > last }
                #expect(next[0] <= last + 1)
                before = next
            }
            try ann.press("End")
            var later = try page(of: ann) { $0.last == 1_300 }

            // The same from below.
            while let first = later.first, first > 1_000 {
                try ann.press("PageUp")
                let next = try page(of: ann) { ($0.first ?? .max) < first }
                #expect(next[next.count - 1] >= first - 1)
                later = next
            }
        }

        private func run(_ input: String, _ arguments: String...) throws -> String {
            try output(of: program("diffroom"), [server.url, "--limit", "500"] + arguments, input: input)
        }

        /// The id of a message, as the objects of `--json` tell it.
        private func id(of text: String) throws -> String {
            let lines = try run("", "--user", "eve", "--json")
            let line = try #require(lines.split(separator: "\n").first { $0.contains("\"text\":\"\(text)\"") })
            return String(try #require(line.firstMatch(of: /"id":"([^"]+)"/)).1)
        }

        @Test func aMessageIsOpenedWhereverItIsAndSoIsTheOneThatItAnswers() throws {
            try server.say((1...400).map { "line \($0)" }, as: "bob")
            _ = try run("/reply 20 an answer", "--plain", "--user", "cid")
            try server.say((401...800).map { "line \($0)" }, as: "bob")

            let ann = try TmuxScreen(server.screen("ann") + " --at \(id(of: "line 400"))", columns: 60)
            _ = try page(of: ann) { $0.contains(400) && $0.count > 15 }
            try ann.press("Tab", "Down", "Enter")
            #expect(try page(of: ann) { $0.contains(20) }.count > 15)
            try ann.press("End")
            _ = try page(of: ann) { $0.last == 800 }
        }

        @Test func aSearchLoadsUntilSomethingIsFound() throws {
            try server.say((1...900).map { $0 == 7 ? "the needle" : "line \($0)" }, as: "bob")
            let ann = try TmuxScreen(server.screen("ann") + " --limit 32", columns: 60)
            try ann.wait(for: "line 900")

            try ann.type("/search needle")
            try ann.press("Enter")
            try ann.wait(for: "the needle and its count") { lines in
                lines.contains { $0.contains("the needle") } && lines.contains { $0.contains("1 of 1") }
            }
            try ann.press("Up")
            try ann.wait(for: "no earlier one in the room")
        }

        @Test func howManyAreNewSinceOneLastReadIsAboveThemAlsoOnTheNextDay() throws {
            try server.say(["line 1", "line 2"], as: "bob")
            let watcher = try TmuxScreen(server.screen("eve"))
            do {
                let ann = try TmuxScreen(server.screen("ann"))
                try watcher.wait(for: "● ann ✓")
                try ann.press("C-d")
                try watcher.wait(for: "○ ann")
            }
            try server.say(["line 3", "line 4", "line 5"], as: "bob")

            let ann = try TmuxScreen(server.screen("ann"), columns: 60)
            try ann.wait(for: "the line above what is new") { lines in
                guard let row = lines.firstIndex(where: { $0.contains("─ 3 new ─") }) else { return false }
                return lines[row...].contains { $0.hasSuffix("line 3") }
                    && lines[..<row].contains { $0.hasSuffix("line 2") }
            }
        }

        @Test func aDayIsGoneTo() throws {
            try server.say((1...300).map { "line \($0)" }, as: "bob")
            let ann = try TmuxScreen(server.screen("ann") + " --limit 32", columns: 60)
            try ann.wait(for: "line 300")

            try ann.type("/date 2020-02-30")
            try ann.press("Enter")
            try ann.wait(for: "usage: /date YEAR-MONTH-DAY")
            try ann.press("C-u")
            try ann.type("/date 2020-02-29")
            try ann.press("Enter")
            _ = try page(of: ann) { $0.first == 1 }
        }
    }
}
