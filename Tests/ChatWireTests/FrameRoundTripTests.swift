import ChatWire
import Foundation
import TestSupport
import Testing

struct FrameRoundTripTests {
    @Test(arguments: UInt64(0)..<300)
    func aClientFrameReadsBackAsItself(seed: UInt64) throws {
        var frames = RandomFrames(seed: seed)
        let frame = frames.clientFrame()

        #expect(try ClientFrame(json: frame.json) == frame)
    }

    @Test(arguments: UInt64(0)..<300)
    func aServerFrameReadsBackAsItself(seed: UInt64) throws {
        var frames = RandomFrames(seed: seed)
        let frame = frames.serverFrame()

        #expect(try ServerFrame(json: frame.json) == frame)
    }

    @Test(arguments: UInt64(0)..<200)
    func everyFrameIsJSONToFoundationToo(seed: UInt64) throws {
        var frames = RandomFrames(seed: seed)
        let client = frames.clientFrame()
        let server = frames.serverFrame()

        #expect(try JSONSerialization.jsonObject(with: Data(client.json)) is [String: Any])
        #expect(try JSONSerialization.jsonObject(with: Data(server.json)) is [String: Any])
    }

    @Test(arguments: UInt64(0)..<100)
    func aFrameThatFoundationWritesReadsTheSame(seed: UInt64) throws {
        var frames = RandomFrames(seed: seed)
        let frame = frames.serverFrame()
        let object = try JSONSerialization.jsonObject(with: Data(frame.json))

        let rewritten = try JSONSerialization.data(withJSONObject: object, options: [.prettyPrinted])

        #expect(try ServerFrame(json: Array(rewritten)) == frame)
    }

    @Test(arguments: UInt64(0)..<100)
    func aFrameEncodedOnceAnswersAnyRequest(seed: UInt64) throws {
        var frames = RandomFrames(seed: seed)
        let list = frames.list()
        let epoch = frames.epoch()
        let diff = frames.diff()
        let ref = frames.number()

        let encoded = ServerFrame.encoded(list, epoch, diff)

        #expect(encoded.bytes == ServerFrame.diff(ref: nil, list, epoch, diff).json)
        #expect(encoded.answering(ref: ref) == ServerFrame.diff(ref: ref, list, epoch, diff).json)
        #expect(try ServerFrame(json: encoded.answering(ref: ref)).ref == ref)
    }
}
