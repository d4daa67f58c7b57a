import ChatWire
import Testing

/// The error for each mistake that a client can make.
struct ClientFrameErrorTests {
    static let id = "11111111-2222-4333-8444-555555555555"

    struct Case: Sendable, CustomTestStringConvertible {
        let json: String
        let ref: UInt64?
        let code: WireError.Code
        let message: String
        var testDescription: String { message }

        init(_ json: String, ref: UInt64? = 7, code: WireError.Code = .badRequest, _ message: String) {
            self.json = json.replacing("ID", with: ClientFrameErrorTests.id)
            self.ref = ref
            self.code = code
            self.message = message
        }
    }

    @Test(arguments: frames + names + later + texts + numbers + grammar)
    func aBadFrameIsAnsweredWithWhatIsWrongAndWhatIsRight(_ example: Case) {
        let error = #expect(throws: FrameError.self) { try ClientFrame(json: Array(example.json.utf8)) }

        guard case .bad(let ref, let answer) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect((ref, answer.message) == (example.ref, example.message))
        #expect(answer.code == example.code)
        #expect(answer.reason?.code == example.code)
        let field = answer.reason == .syntax ? nil : example.message.split(separator: ":").first.map(String.init)
        #expect(answer.field == field, "a program finds the field without reading the message")
        #expect((answer.reason == .missing) == example.message.contains(": missing, "))
    }

    static let frames = [
        Case("{}", ref: nil, "ref: missing, must be a whole number from 0 to 9007199254740991, in digits only"),
        Case(#"{"ref":7}"#, "type: missing, must be a string"),
        Case(#"{"ref":7,"type":3}"#, "type: found a number, must be a string"),
        Case(
            #"{"ref":7,"type":"sned"}"#,
            "type: 'sned' is not right, must be one of "
                + "hello, subscribe, unsubscribe, send, edit, append, close, delete, react, page, typing, read, join, leave, "
                + "settings, create, moderate, audit, search, upload, links, people, draft, later, block, token, ping"),
        Case(
            #"{"ref":"7","type":"ping"}"#, ref: nil,
            "ref: found a string, must be a whole number from 0 to 9007199254740991, in digits only"),
        Case(#"{"ref":7,"type":"token"}"#, "token: missing, must be a string"),
        Case(#"{"ref":7,"type":"token","token":""}"#, "token: is empty, must be a token"),
        Case(
            #"{"ref":7,"type":"hello","user":"a","token":"b"}"#,
            "user: came together with `token`: send one of the two"),
        Case(#"{"ref":7,"type":"hello","token":""}"#, "token: is empty, must be a token"),
        Case(
            #"{"ref":7,"type":"subscribe","list":"room/a/messages","resume":4}"#,
            "resume: found a number, must be an object"),
        Case(
            #"{"ref":7,"type":"subscribe","list":"room/a/messages","resume":{"epoch":"e","revision":"4"}}"#,
            "resume.revision: found a string, must be a whole number from 0 to 9007199254740991, in digits only"),
        Case(
            #"{"ref":7,"type":"react","room":"a","command":"ID","id":"ID","emoji":"+","on":1}"#,
            "on: found a number, must be true or false"),
    ]

    static let names = [
        Case(
            #"{"ref":7,"type":"send","room":"a b","id":"ID","text":"x"}"#,
            "room: 'a b' is not right, must be 1 to 64 of a-z A-Z 0-9 . _ -, and neither . nor ..; "
                + "or ~ and a UUID; or @ and 32 digits of 0-9 a-f; and for a thread /thread/ and a UUID after that"),
        Case(
            #"{"ref":7,"type":"typing","room":"..","on":true}"#,
            "room: '..' is not right, must be 1 to 64 of a-z A-Z 0-9 . _ -, and neither . nor ..; "
                + "or ~ and a UUID; or @ and 32 digits of 0-9 a-f; and for a thread /thread/ and a UUID after that"),
        Case(#"{"ref":7,"type":"typing","room":"a"}"#, "on: missing, must be true or false"),
        Case(
            #"{"ref":7,"type":"read","room":"a","revision":-1}"#,
            "revision: -1 is not right, must be a whole number from 0 to 9007199254740991, in digits only"),
        Case(
            #"{"ref":7,"type":"settings","room":"a"}"#,
            "pinned: missing, as are `muted`, `archived` and `marked`: must have one of them"),
        Case(
            #"{"ref":7,"type":"settings","room":"a","pinned":null,"muted":null}"#,
            "pinned: missing, as are `muted`, `archived` and `marked`: must have one of them"),
        Case(
            #"{"ref":7,"type":"settings","room":"a","pinned":0}"#,
            "pinned: 0 is not right, must be a whole number from 1 to 1125899906842624, or false"),
        Case(
            #"{"ref":7,"type":"settings","room":"a","pinned":1125899906842625}"#,
            "pinned: 1125899906842625 is not right, must be a whole number from 1 to 1125899906842624, or false"),
        Case(
            #"{"ref":7,"type":"settings","room":"a","pinned":1.5}"#,
            "pinned: 1.5 is not right, must be a whole number from 1 to 1125899906842624, or false"),
        Case(
            #"{"ref":7,"type":"settings","room":"a","pinned":true}"#,
            "pinned: true is not right, must be a whole number from 1 to 1125899906842624, or false"),
        Case(
            #"{"ref":7,"type":"settings","room":"a","pinned":"1"}"#,
            "pinned: found a string, must be a whole number from 1 to 1125899906842624, or false"),
        Case(
            #"{"ref":7,"type":"settings","room":"a","muted":1}"#, "muted: found a number, must be true or false"),
        Case(
            #"{"ref":7,"type":"send","room":"a","id":"xyz","text":"x"}"#,
            "id: 'xyz' is not right, must be a UUID: hexadecimal digits, 8-4-4-4-12"),
        Case(
            #"{"ref":7,"type":"send","room":"a","id":12,"text":"x"}"#,
            "id: found a number, must be a UUID: hexadecimal digits, 8-4-4-4-12"),
        Case(
            #"{"ref":7,"type":"send","room":"a","text":"x"}"#,
            "id: missing, must be a UUID: hexadecimal digits, 8-4-4-4-12"),
        Case(
            #"{"ref":7,"type":"hello","user":" ann"}"#,
            "user: ' ann' begins or ends with a space"),
        Case(
            #"{"ref":7,"type":"hello","user":"a\u202eb"}"#,
            "user: 'a\u{FFFD}b' has U+202E, which is invisible"),
        Case(
            #"{"ref":7,"type":"hello","user":"Jose\u0301"}"#,
            "user: 'Jose\u{301}' is not in Unicode normal form C: send it normalised"),
        Case(
            #"{"ref":7,"type":"hello","user":"ann\u3000"}"#,
            "user: 'ann\u{3000}' has U+3000, a space that is not U+0020"),
        Case(#"{"ref":7,"type":"hello","user":""}"#, "user: '' has 0 bytes, must be 1 to 64"),
        Case(#"{"ref":7,"type":"hello","user":"ann  b"}"#, "user: 'ann  b' has two spaces in a row"),
        Case(#"{"ref":7,"type":"hello","user":"\ue000"}"#, "user: '\u{E000}' has U+E000, which is no character"),
        Case(
            #"{"ref":7,"type":"hello","user":"\u0301"}"#,
            "user: '\u{301}' begins with a mark that belongs to a character before it"),
        Case(
            #"{"ref":7,"type":"unsubscribe","list":"lobby"}"#,
            "list: 'lobby' is not right, must be room/NAME/messages, room/NAME/members, "
                + "room/NAME/pins, me/rooms, me/threads, me/mentions, me/people, me/drafts, me/later or me/blocked, NAME being 1 to 64 of a-z A-Z 0-9 . _ -, and neither . nor ..; "
                + "or ~ and a UUID; or @ and 32 digits of 0-9 a-f; and for a thread /thread/ and a UUID after that"),
        Case(
            #"{"ref":7,"type":"unsubscribe","list":"\#(String(repeating: "x", count: 99))"}"#,
            "list: '\(String(repeating: "x", count: 40))…' is not right, must be room/NAME/messages, "
                + "room/NAME/members, room/NAME/pins, me/rooms, me/threads, me/mentions, me/people, me/drafts, me/later or me/blocked, NAME being 1 to 64 of a-z A-Z 0-9 . _ -, and neither . nor ..; "
                + "or ~ and a UUID; or @ and 32 digits of 0-9 a-f; and for a thread /thread/ and a UUID after that"),
    ]

    static let later = [
        Case(
            #"{"ref":7,"type":"later","id":"ID","mentions":["bob"]}"#,
            "at: missing, must be the time of the message or reminder; id alone cancels"),
        Case(
            #"{"ref":7,"type":"later","id":"ID","data":7}"#,
            "at: missing, must be the time of the message or reminder; id alone cancels"),
        Case(
            #"{"ref":7,"type":"later","id":"ID","room":"a"}"#,
            "at: missing, must be the time of the message or reminder; id alone cancels"),
        Case(
            #"{"ref":7,"type":"later","id":"ID","room":"a","at":1}"#,
            "text: missing, must be the text to send, or message the id of a message to be reminded of"),
        Case(
            #"{"ref":7,"type":"later","id":"ID","room":"a","at":1,"message":"ID","text":"x"}"#,
            "text: a reminder has none: message names the message"),
        Case(
            #"{"ref":7,"type":"later","id":"ID","room":"a","at":1,"text":"x","open":true}"#,
            "open: a message that is not sent has none: only a message that is sent grows"),
        Case(
            #"{"ref":7,"type":"later","room":"a","at":1,"text":"x"}"#,
            "id: missing, must be a UUID: hexadecimal digits, 8-4-4-4-12"),
        Case(#"{"ref":7,"type":"later","id":"ID","at":1,"text":"x"}"#, "room: missing, must be a string"),
    ]

    static let texts = [
        Case(#"{"ref":7,"type":"send","room":"a","id":"ID"}"#, "text: missing, must be a string"),
        Case(
            #"{"ref":7,"type":"send","room":"a","id":"ID","text":7}"#, "text: found a number, must be a string"),
        Case(
            #"{"ref":7,"type":"send","room":"a","id":"ID","text":""}"#, "text: is empty, must be 1 to 8192 bytes"),
        Case(
            #"{"ref":7,"type":"edit","room":"a","command":"ID","id":"ID","text":"\#(String(repeating: "é", count: 4097))"}"#,
            code: .tooLarge, "text: has 8194 bytes, must be 1 to 8192"),
        Case(
            #"{"ref":7,"type":"edit","room":"a","command":"ID","id":"ID"}"#, "text: missing, must be a string"),
        Case(
            #"{"ref":7,"type":"edit","room":"a","command":"ID","id":"ID","data":[1]}"#,
            "data: found an array, must be an object"),
        Case(
            #"{"ref":7,"type":"send","room":"a","id":"ID","text":"x","data":{"a":"\#(String(repeating: "é", count: 2048))"}}"#,
            code: .tooLarge, "data: has 4104 bytes, must be at most 4096"),
        Case(
            #"{"ref":7,"type":"send","room":"a","id":"ID","text":"x","data":{"a":[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]}}"#,
            "data: has over 16 objects and arrays inside each other"),
        Case(#"{"ref":7,"type":"send","room":"a","id":"ID","text":"\u001b[2J"}"#, nothingToSee),
        Case(#"{"ref":7,"type":"send","room":"a","id":"ID","text":"\u200b \n"}"#, nothingToSee),
        Case(
            #"{"ref":7,"type":"react","room":"a","command":"ID","id":"ID","emoji":"","on":true}"#,
            "emoji: is empty, must be 1 to 64 bytes"),
        Case(
            #"{"ref":7,"type":"react","room":"a","command":"ID","id":"ID","emoji":"\#(String(repeating: "x", count: 65))","on":true}"#,
            code: .tooLarge, "emoji: has 65 bytes, must be 1 to 64"),
        Case(
            #"{"ref":7,"type":"react","room":"a","command":"ID","id":"ID","emoji":"\n","on":true}"#,
            "emoji: has a control character, must have none"),
        Case(
            #"{"ref":7,"type":"react","room":"a","command":"ID","id":"ID","emoji":"e\u0301","on":true}"#,
            "emoji: 'e\u{301}' is not right, must be an emoji as Unicode lists them, with its U+FE0F if it has one"),
        Case(
            #"{"ref":7,"type":"moderate","room":"a","command":"ID","action":"title","text":"General \u202e"}"#,
            "text: 'General \u{FFFD}' has U+202E, which is invisible"),
        Case(
            #"{"ref":7,"type":"moderate","room":"a","command":"ID","action":"topic","text":"a\tb"}"#,
            "text: 'a\u{FFFD}b' has control character 9, must have none"),
    ]
    private static let nothingToSee =
        "text: has no visible character, must have one"

    static let numbers = [
        Case(
            #"{"ref":7,"type":"subscribe","list":"room/a/messages","limit":31}"#, "limit: 31 is not between 32 and 500"),
        Case(
            #"{"ref":7,"type":"page","list":"room/a/messages","before":9,"limit":501}"#,
            "limit: 501 is not between 1 and 500"),
        Case(
            #"{"ref":7,"type":"page","list":"room/a/messages","before":-1}"#,
            "before: -1 is not right, must be a whole number from 0 to 9007199254740991, in digits only"),
        Case(
            #"{"ref":7,"type":"page","list":"room/a/messages","before":1.0}"#,
            "before: 1.0 is not right, must be a whole number from 0 to 9007199254740991, in digits only"),
        Case(
            #"{"ref":7,"type":"page","list":"room/a/messages","before":9007199254740992}"#,
            "before: 9007199254740992 is not right, must be a whole number from 0 to 9007199254740991, in digits only"),
        Case(
            #"{"ref":7,"type":"page","list":"room/a/messages","before":99999999999999999999999}"#,
            "before: 99999999999999999999999 is not right, "
                + "must be a whole number from 0 to 9007199254740991, in digits only"),
    ]

    static let grammar = [
        Case(#"{"ref":7,"type":"ping","type":"ping"}"#, "JSON: 'type' stands twice in one object"),
        Case(#"{"ref":7,"type":"ping","\u0074ype":1}"#, "JSON: 'type' stands twice in one object"),
        Case(#"{"ref":7,"type":"ping","deep":[{"a":1,"a":2}]}"#, "JSON: 'a' stands twice in one object"),
        Case(
            #"{"ref":7,"type":"send","room":"a","id":"ID","text":"\ud800"}"#,
            #"JSON: \ud800 is half a surrogate pair, which is no character"#),
        Case(
            #"{"ref":7,"type":"send","room":"a","id":"ID","text":"\udc00\ud800"}"#,
            #"JSON: \udc00 is half a surrogate pair, which is no character"#),
        Case(
            #"{"ref":7,"type":"send","room":"a","id":"ID","text":"\ud83d\ud83d\ude00"}"#,
            #"JSON: \ud83d is half a surrogate pair, which is no character"#),
    ]
}

struct ClientFrameLeniencyTests {
    @Test func aFieldThatIsNotKnownIsPassedOver() throws {
        let json = #"{"type":"ping","ref":1,"later":{"x":[1,-2.5e+3,null,true,"\"\\\/\b\f\n\r\té\ud83d\ude00"]}}"#

        #expect(try ClientFrame(json: Array(json.utf8)) == ClientFrame(ref: 1, request: .ping))
    }

    @Test func aNullFieldCountsAsMissing() throws {
        let json = #"{"type":"subscribe","ref":1,"list":"room/a/members","limit":null,"resume":null}"#

        let list = try #require(ListName("room/a/members"))
        #expect(
            try ClientFrame(json: Array(json.utf8))
                == ClientFrame(ref: 1, request: .subscribe(list, limit: 50, resume: nil)))
    }

    @Test func theLimitsAreTheServers() throws {
        var limits = WireLimits()
        limits.text = 4
        let json = #"{"ref":7,"type":"send","room":"a","id":"\#(ClientFrameErrorTests.id)","text":"12345"}"#

        #expect(throws: FrameError.bad(ref: 7, WireError(.tooLong, "text: has 5 bytes, must be 1 to 4", field: "text")))
        {
            try ClientFrame(json: Array(json.utf8), limits: limits)
        }
    }
}
