import ChatWire
import TestSupport
import Testing

/// Bytes that are not a JSON object.
struct GrammarTests {
    @Test(arguments: [
        ("", "not JSON: found the end, must be a value, at byte 0"),
        ("hello", "not JSON: found 'h', must be a value, at byte 0"),
        ("[1]", "found an array, must be a JSON object"),
        ("\"x\"", "found a string, must be a JSON object"),
        ("null", "found null, must be a JSON object"),
        ("{", "not JSON: found the end, must be a key in quotes, at byte 1"),
        ("{\"a\":1", "not JSON: found the end, must be ',' or '}', at byte 6"),
        ("{\"a\":1,}", "not JSON: found '}', must be a key in quotes, at byte 7"),
        ("{\"a\" 1}", "not JSON: found '1', must be ':' after a key, at byte 5"),
        ("{'a':1}", "not JSON: found ''', must be a key in quotes, at byte 1"),
        ("{\"a\":[1,]}", "not JSON: found ']', must be a value, at byte 8"),
        ("{\"a\":[1 2]}", "not JSON: found '2', must be ',' or ']', at byte 8"),
        ("{} {}", "not JSON: found '{', must be the end, at byte 3"),
        ("{\"a\":01}", "not JSON: found '1', must be ',' or '}', at byte 6"),
        ("{\"a\":-}", "not JSON: found '}', must be a digit, at byte 6"),
        ("{\"a\":1.}", "not JSON: found '}', must be a digit, at byte 7"),
        ("{\"a\":1e}", "not JSON: found '}', must be a digit, at byte 7"),
        ("{\"a\":+1}", "not JSON: found '+', must be a value, at byte 5"),
        ("{\"a\":NaN}", "not JSON: found 'N', must be a value, at byte 5"),
        ("{\"a\":nul}", "not JSON: found '}', must be 'null', at byte 8"),
        ("{\"a\":\"\\x\"}", "not JSON: found 'x', must be one of \" \\ / b f n r t u after '\\', at byte 7"),
        ("{\"a\":\"\\u12g4\"}", "not JSON: found 'g', must be a hexadecimal digit, at byte 10"),
        ("{\"a\":\"x", "not JSON: found the end, must be the closing '\"', at byte 7"),
        ("{\"a\":\"\n\"}", "not JSON: found byte 0xa, must be written as an escape, at byte 6"),
        ("\u{FEFF}{}", "not JSON: found byte 0xef, must be a value, at byte 0"),
    ])
    func whatIsNoObjectIsSaidToBeNone(json: String, message: String) {
        #expect(throws: FrameError.notAnObject(message)) { try ClientFrame(json: Array(json.utf8)) }
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x9F, 0x80], [0xED, 0xA0, 0x80], [0xEF, 0xBF],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
        ] as [[UInt8]])
    func whatIsNoUTF8IsNoObject(bytes: [UInt8]) throws {
        let json = Array(#"{"ref":1,"type":"ping","x":""#.utf8) + bytes + Array(#""}"#.utf8)

        let error = try #require(throws: FrameError.self) { try ClientFrame(json: json) }
        guard case .notAnObject(let message) = error else { throw error }
        #expect(message.contains("must be UTF-8"))
    }

    @Test(arguments: ["é", "߿", "ࠀ", "퟿", "", "\u{FFFF}", "𐀀", "\u{10FFFF}"])
    func theEndsOfEachRangeOfUTF8AreTaken(text: String) throws {
        let json = Array(#"{"ref":1,"type":"ping","x":"\#(text)"}"#.utf8)

        #expect(try ClientFrame(json: json).ref == 1)
    }

    @Test func containersNestThirtyTwoDeepAndNoDeeper() throws {
        func nested(_ depth: Int) -> [UInt8] {
            let inner = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
            return Array(#"{"ref":1,"type":"ping","x":\#(inner)}"#.utf8)
        }

        #expect(try ClientFrame(json: nested(32)).ref == 1)
        #expect(throws: FrameError.notAnObject("not JSON: nested deeper than 32, at byte 58")) {
            try ClientFrame(json: nested(33))
        }
    }

    /// Plain and escaped, short and long.
    @Test(arguments: ["k", #"\u006b"#, String(repeating: "k", count: 100)], [2, 24, 5_000])
    func aKeyThatStandsTwiceIsFoundHoweverManyThereAre(key: String, count: Int) throws {
        let keys = (0..<count).map { #""\#(key)\#($0)":0"# }.joined(separator: ",")
        let once = #"{"ref":1,"type":"pong",\#(keys)}"#
        let twice = #"{"ref":1,"type":"pong",\#(keys),"\#(key.count < 100 ? "k" : key)1":0}"#

        #expect(try ServerFrame(json: Array(once.utf8)).ref == 1)
        let error = #expect(throws: FrameError.self) { try ServerFrame(json: Array(twice.utf8)) }
        #expect(error?.message.contains("stands twice in one object") == true)
    }

    @Test func aClientsFrameIsNotReadBeyondSoManyValues() throws {
        func frame(_ count: Int) -> [UInt8] {
            Array(#"{"ref":1,"type":"ping","x":[\#(Array(repeating: "0", count: count).joined(separator: ","))]}"#.utf8)
        }

        #expect(try ClientFrame(json: frame(2_041)).ref == 1)
        #expect(throws: FrameError.notAnObject("not JSON: more than 2048 values and keys, at byte 4110")) {
            try ClientFrame(json: frame(2_042))
        }
    }

    @Test func aResumeMayNameAsManyRowsAsAClientHolds() throws {
        var resume = Resume(epoch: Epoch("e")!, revision: 1, joined: 1)
        resume.rows = (0..<Resume.mostRows).map {
            Resume.HeldRow(id: "room\($0)", tag: UniqueID(high: 0, low: UInt64($0)))
        }
        let frame = ClientFrame(ref: 1, request: .subscribe(.myRooms, limit: 50, resume: resume))

        #expect(try ClientFrame(json: frame.json) == frame)
    }
}

/// Reading any bytes returns or throws.
struct HostileBytesTests {
    @Test(arguments: UInt64(0)..<200)
    func randomBytesDoNotTrap(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let alphabet = Array(#"{}[]",:\u0123456789-+.eEtrufalsn dD8"#.utf8)
        for _ in 0..<50 {
            let length = Int.random(in: 0..<60, using: &random)
            let noise = (0..<length).map { _ in
                Bool.random(using: &random)
                    ? alphabet.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
            }
            try read(noise)
            try read(Array(#"{"type":"diff","ref":1,"#.utf8) + noise)
        }
    }

    @Test(arguments: UInt64(0)..<200)
    func mutatedFramesDoNotTrap(seed: UInt64) throws {
        var frames = RandomFrames(seed: seed)
        for _ in 0..<20 {
            var json = frames.flag() ? frames.clientFrame().json : frames.serverFrame().json
            for _ in 0..<Int.random(in: 1...4, using: &frames.random) { mutate(&json, using: &frames.random) }
            try read(json)
        }
    }

    private func mutate(_ json: inout [UInt8], using random: inout SplitMix64) {
        guard let place = json.indices.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: json[place] = UInt8.random(in: 0...255, using: &random)
        case 1: json.remove(at: place)
        case 2: json.insert(json.randomElement(using: &random) ?? 0, at: place)
        default: json.removeLast(json.count - place)
        }
    }

    /// Reads bytes; if they are a frame, writes it and reads it again.
    private func read(_ json: [UInt8]) throws {
        if let frame = try? ClientFrame(json: json) {
            let same = try ClientFrame(json: frame.json) == frame
            #expect(same)
        }
        if let frame = try? ServerFrame(json: json), !hasUnknownOperation(frame) {
            let same = try ServerFrame(json: frame.json) == frame
            #expect(same)
        }
    }

    /// An operation of a later version is known by its name only: it cannot be written again.
    private func hasUnknownOperation(_ frame: ServerFrame) -> Bool {
        switch frame {
        case .diff(_, _, _, let diff as ListDiff<Message>): diff.unknownOperation != nil
        case .diff(_, _, _, let diff as ListDiff<Member>): diff.unknownOperation != nil
        case .diff(_, _, _, let diff as ListDiff<Pin>): diff.unknownOperation != nil
        case .diff(_, _, _, let diff as ListDiff<MyRoom>): diff.unknownOperation != nil
        case .diff(_, .myMentions, _, let diff as ListDiff<MyMention>): diff.unknownOperation != nil
        case .diff(_, .myPeople, _, let diff as ListDiff<Person>): diff.unknownOperation != nil
        case .diff(_, _, _, let diff as ListDiff<Draft>): diff.unknownOperation != nil
        case .diff(_, _, _, let diff as ListDiff<LaterItem>): diff.unknownOperation != nil
        case .diff(_, _, _, let diff as ListDiff<BlockedUser>): diff.unknownOperation != nil
        default: false
        }
    }
}
