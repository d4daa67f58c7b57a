import ChatWire
import Testing

@testable import diffroom

/// The person whom `/msg` names, and the rest of the line.
@Suite struct AddresseeTests {
    private let known = ["ann", "ann lee", "Café bar"].compactMap { UserName($0) }

    @Test(arguments: [
        ("bob", "bob", ""), ("bob hello there", "bob", "hello there"), ("@bob: hello", "bob", "hello"),
        ("bob, hello", "bob", "hello"), ("ann lee hello", "ann lee", "hello"), ("ann leeway", "ann", "leeway"),
        ("anna hello", "anna", "hello"), ("  @ann\nhello\nthere ", "ann", "hello\nthere"),
        ("Cafe\u{301} bar: hi", "Café bar", "hi"),
    ])
    func aNameEndsWhereAKnownOneDoesOrBeforeABlank(line: String, user: String, text: String) throws {
        let to = try Addressee(line, among: known)

        #expect(to.user == UserName(user) && to.text == text)
    }

    @Test(arguments: ["", "  ", "@", ": hello", "\u{200B}bob hi"])
    func whereNobodyIsNamedItIsSaidWhatWouldBeRight(line: String) {
        #expect(throws: InputError.self) { try Addressee(line, among: known) }
    }
}
