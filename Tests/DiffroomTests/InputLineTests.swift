import ChatWire
import Testing

@testable import diffroom

@Suite struct InputLineTests {
    @Test(arguments: [
        ("", InputLine.nothing), ("   ", .nothing), ("\r", .nothing),
        ("hello", .say("hello")), (" two  spaces ", .say(" two  spaces ")), ("from windows\r", .say("from windows")),
        ("//etc/passwd", .say("/etc/passwd")),
        ("/edit 12 new text", .edit(.named("12"), "new text")), ("/edit #12  x", .edit(.named("12"), "x")),
        ("/edit last x", .edit(.last, "x")),
        ("/delete 3f2a", .delete(.named("3f2a"))), ("/delete last ", .delete(.last)),
        ("/react 12 👍", .react(.named("12"), emoji: "👍", .on)),
        ("/unreact 12 👍", .react(.named("12"), emoji: "👍", .off)),
        ("/reply 12 yes indeed", .reply(.named("12"), "yes indeed")),
        ("/older", .older(50)), ("/older 200", .older(200)), ("/help", .help), ("/quit", .quit),
    ])
    func aLineSaysWhatToDo(line: String, meaning: InputLine) throws {
        #expect(try InputLine(line) == meaning)
    }

    @Test(arguments: ["/", "/edit", "/edit 12", "/edit 12  ", "/delete", "/react 3", "/older 0", "/older x", "/nope"])
    func aLineThatMeansNothingIsAnErrorThatSaysWhatWouldBeRight(line: String) {
        #expect(throws: InputError.self) { try InputLine(line) }
    }
}
