import ChatWire
import Testing

@testable import diffroom

/// The people whom `/msg` names, and the rest of the line.
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

        #expect(to.users == [UserName(user)] && to.text == text)
    }

    @Test(arguments: [
        ("ann,bob hello", ["ann", "bob"], "hello"), ("@ann,@bob: hello, you", ["ann", "bob"], "hello, you"),
        ("ann lee,ann hello", ["ann lee", "ann"], "hello"), ("ann,bob,ann", ["ann", "bob"], ""),
        ("ann, bob hello", ["ann"], "bob hello"), (#""bob b",ann hi"#, ["bob b", "ann"], "hi"),
        (#"bob,"ann lee""#, ["bob", "ann lee"], ""), (#"@"bob b": hi"#, ["bob b"], "hi"),
    ])
    func moreThanOneAreNamedWithCommasAndThoseWithSpacesMayBeQuoted(line: String, users: [String], text: String) throws
    {
        let to = try Addressee(line, among: known)

        #expect(to.users == users.compactMap { UserName($0) } && to.text == text)
    }

    @Test(arguments: ["", "  ", "@", ": hello", "\u{200B}bob hi", "ann,,bob hi"])
    func whereNobodyIsNamedItIsSaidWhatWouldBeRight(line: String) {
        #expect(throws: InputError.self) { try Addressee(line, among: known) }
    }
}
