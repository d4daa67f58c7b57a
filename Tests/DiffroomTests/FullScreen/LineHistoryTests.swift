import Foundation
import TestSupport
import Testing

@testable import diffroom

@Suite struct LineHistoryTests {
    private let folder = TemporaryFolder()

    @Test func linesAreThereAfterTheNextStart() throws {
        let path = folder.file("state/diffroom/history")
        let lines = ["hello", "two\nlines", "\"quoted\" \u{1F98A}"]

        let history = LineHistory(path)
        for line in lines { history.append(line) }

        #expect(history.lines.isEmpty && LineHistory(path).lines == lines)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func theLatestLinesAreReadAndALargeFileIsWrittenAnew() throws {
        let path = folder.file("history")
        let history = LineHistory(path)
        for number in 0..<600 { history.append("\(number) " + String(repeating: "x", count: 2_000)) }

        #expect(LineHistory(path).lines.map { $0.prefix { $0 != " " } } == (400..<600).map { "\($0)" })

        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count < 500_000)
        #expect(LineHistory(path).lines.count == LineHistory.limit)
    }

    @Test func aDamagedLineIsLeftOut() throws {
        let path = folder.file("history")
        try "\"one\"\n\"tw\u{0}\n{}\n\"three\"\n".write(toFile: path, atomically: true, encoding: .utf8)

        #expect(LineHistory(path).lines == ["one", "three"])
    }

    @Test func withoutAFileNothingIsKept() {
        for path in [nil, "/dev/null/history"] {
            let history = LineHistory(path)
            history.append("hello")
            #expect(history.lines.isEmpty)
        }
    }
}
