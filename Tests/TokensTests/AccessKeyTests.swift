import Testing

@testable import Tokens

struct AccessKeyTests {
    private let key = AccessKey(id: "AKID", secret: "se/cr+et=")

    @Test(arguments: [
        "AKID\nse/cr+et=", "AKID\r\nse/cr+et=\r\n", "# of chat\n\n AKID \n se/cr+et= \n",
        "[default]\naws_access_key_id = AKID\naws_secret_access_key=se/cr+et=\n",
        "aws_access_key_id=AKID\naws_secret_access_key=se/cr+et=",
        "[other]\naws_access_key_id = X\naws_secret_access_key=y\n[default]\naws_secret_access_key=se/cr+et=\naws_access_key_id = AKID\n",
        "[chat]\naws_access_key_id = AKID\naws_secret_access_key=se/cr+et=\n[more]\naws_access_key_id = X\n",
    ])
    func aFileHasItsKey(text: String) throws {
        #expect(try AccessKey(text) == key)
    }

    @Test(arguments: [
        ("", AccessKeyFault.lines(0)), ("AKID", .lines(1)), ("a\nb\nc", .lines(3)), ("a b\nc", .notPrintable),
        ("ä\nc", .notPrintable), ("[default]\naws_access_key_id = AKID", .incomplete),
        ("[default]\n[other]\naws_access_key_id = AKID\naws_secret_access_key=s", .incomplete),
        ("[a]\naws_access_key_id=A\naws_secret_access_key=s\naws_session_token=t", .temporary),
    ])
    func anotherFileIsRefused(text: String, fault: AccessKeyFault) {
        #expect(throws: fault) { try AccessKey(text) }
    }

    @Test func aFileThatIsMissingIsReported() {
        #expect(throws: KeyFileError.self) { try AccessKey(path: "/no/such") }
    }
}
