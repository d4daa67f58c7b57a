import ChatWire
import TestSupport
import Testing

/// A frame that was too long, of which the first and the last 256 bytes are left.
struct OversizedFrameTests {
    @Test(
        arguments: [
            (#"{"type":"send","ref":7,"room":"a","text":"…"}"#, 7), (#"{"type":"send","text":"…","ref":7}"#, 7),
            (#" { "ref" : 7 , "text" : "…" } "#, 7), (#"{"text":"…" , "ref" : 7 } "#, 7),
            (#"{"type":"a,b","ref":7,"text":"…"}"#, 7), (#"{"later":{"ref":8},"ref":7,"text":"…"}"#, 7),
            (#"{"later":{"ref":8},"text":"…"}"#, nil), (#"{"text":"…","later":{"x":1,"ref":8}}"#, nil),
            (#"{"text":"…","later":[1,{"ref":8}]}"#, nil), (#"{"text":"\"ref\":8,\"ref\":8}…,\"ref\":8}"}"#, nil),
            (#"{"text":"…","ref":7,"room":"a"}"#, 7), (#"{"ref":"7","text":"…"}"#, nil),
            (#"{"ref":-7,"text":"…"}"#, nil),
            (#"[{"ref":7},"…"]"#, nil), ("…", nil),
        ] as [(String, UInt64?)])
    func theRefIsFoundAtTheEdges(frame: String, ref: UInt64?) {
        #expect(refused(frame.replacing("…", with: String(repeating: "x, ", count: 30_000))).ref == ref, "\(frame)")
    }

    @Test func theErrorSaysWhatIsWrong() {
        let (error, _) = refused(#"{"ref":7,"text":"\#(String(repeating: "x", count: 70_000))"}"#)

        #expect(error == WireError(.frame, "the frame has 70019 bytes, must have at most 65536"))
    }

    /// Whatever surrounds the long text, the answer goes to the right request or to none.
    @Test(arguments: UInt64(0)..<200)
    func noOtherNumberIsEverTakenForTheRef(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let pieces = [
            #""ref":7"#, #""a":{"ref":8}"#, #""b":[{"ref":8},{"c":1,"ref":8}]"#, #""d":"\",\"ref\":8,\"e\":\"""#,
            #""f":",{}[]:""#, #""g":null"#, #""h":"\\""#,
        ].shuffled(using: &random)
        let long = #""text":"\#(String(repeating: "y", count: 70_000))""#
        let members = pieces + [long]
        let frame =
            "{" + members.shuffled(using: &random).joined(separator: Bool.random(using: &random) ? "," : " ,\n") + "}"

        let (_, ref) = refused(frame)

        #expect(ref == 7, "each side is shorter than an edge: \(frame.replacing(long, with: "…"))")
        #expect([7, nil].contains(refused(String(frame.dropFirst(Int.random(in: 1...40, using: &random)))).ref))
    }

    private func refused(_ frame: String) -> (error: WireError?, ref: UInt64?) {
        let bytes = Array(frame.utf8)
        let start = Array(bytes.prefix(256))
        let end = Array(bytes.dropFirst(256).suffix(256))
        guard case .bad(let ref, let error) = FrameError(oversized: bytes.count, 65_536, start: start, end: end) else {
            return (nil, nil)
        }
        return (error, ref)
    }
}
