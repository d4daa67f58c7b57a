import Testing
import WebSocketTransport

struct WebSocketURLTests {
    @Test(arguments: [
        ("ws://127.0.0.1:8080", WebSocketURL(host: "127.0.0.1", port: 8080)),
        ("ws://localhost", WebSocketURL(host: "localhost", port: 80)),
        (
            "WSS://chat.example/a/b?c=d#e",
            WebSocketURL(isSecure: true, host: "chat.example", port: 443, path: "/a/b?c=d")
        ),
        ("ws://[::1]:99/", WebSocketURL(host: "::1", port: 99, path: "/")),
        ("ws://a:1?x", WebSocketURL(host: "a", port: 1, path: "/ws?x")),
    ])
    func anAddressIsRead(text: String, url: WebSocketURL) throws {
        #expect(try WebSocketURL(text) == url)
        #expect(try WebSocketURL(url.description) == url)
    }

    @Test(
        arguments: [
            ("", .wrongScheme("")), ("http://a", .wrongScheme("http://a")), ("a:80", .wrongScheme("a:80")),
            ("ws://", .noHost("ws://")), ("ws://:80", .noHost("ws://:80")), ("ws://[::1", .noHost("ws://[::1")),
            ("ws://a:", .badPort("ws://a:")), ("ws://a:0", .badPort("ws://a:0")),
            ("ws://a:65536", .badPort("ws://a:65536")),
            ("ws://a:+8", .badPort("ws://a:+8")), ("ws://[::1]8", .badPort("ws://[::1]8")),
            ("ws://a b", .badCharacter("ws://a b")), ("ws://u@a", .badCharacter("ws://u@a")),
            ("ws://a/ü", .badCharacter("ws://a/ü")),
        ] as [(String, WebSocketURL.ParseError)])
    func aBadAddressSaysWhatIsWrong(text: String, error: WebSocketURL.ParseError) {
        #expect(throws: error) { try WebSocketURL(text) }
    }
}
