import Testing

@testable import TerminalUI

@Suite struct CursorReportsTests {
    private func reports(_ text: String) -> CursorReports {
        var reports = CursorReports()
        for byte in text.utf8 { reports.consume(byte) }
        return reports
    }

    @Test func answersAreFoundAmongWhatIsTyped() {
        let found = reports("a\u{1B}[1;3Rb\u{1B}[A\u{1B}[12;45R")

        #expect(found.columns == [3, 45])
        #expect(String(decoding: found.rest, as: UTF8.self) == "ab\u{1B}[A")
    }

    @Test func halfAnAnswerIsKept() {
        #expect(reports("\u{1B}[1;").columns == [])
        #expect(String(decoding: reports("\u{1B}[1;").rest, as: UTF8.self) == "\u{1B}[1;")
    }
}
