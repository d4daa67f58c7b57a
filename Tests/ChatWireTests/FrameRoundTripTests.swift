import ChatWire
import Foundation
import TestSupport
import Testing

struct FrameRoundTripTests {
    @Test(arguments: UInt64(0)..<300)
    func aClientFrameReadsBackAsItself(seed: UInt64) throws {
        var frames = RandomFrames(seed: seed)
        let frame = frames.clientFrame()

        #expect(try ClientFrame(json: frame.json, limits: RandomFrames.limits) == frame)
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
        frames.hasData = false  // its bytes are kept, and Foundation writes others
        let frame = frames.serverFrame()
        let object = try JSONSerialization.jsonObject(with: Data(frame.json))

        let rewritten = try JSONSerialization.data(withJSONObject: object, options: [.prettyPrinted])

        #expect(try ServerFrame(json: Array(rewritten)) == frame)
    }

    @Test(arguments: UInt64(0)..<100)
    func aFrameEncodedOnceAnswersAnyRequest(seed: UInt64) throws {
        var frames = RandomFrames(seed: seed)
        let list = ListName.messages(frames.room())
        let epoch = frames.epoch()
        let diff = frames.diff()
        let ref = frames.number()

        let encoded = diff.encoded(list, epoch)

        #expect(encoded.bytes == ServerFrame.diff(ref: nil, list, epoch, diff).json)
        #expect(encoded.answering(ref: ref) == ServerFrame.diff(ref: ref, list, epoch, diff).json)
        #expect(Array(encoded.bytes.dropLast()) + EncodedFrame.end(answering: ref) == encoded.answering(ref: ref))
        #expect(try ServerFrame(json: encoded.answering(ref: ref)).ref == ref)
    }

    @Test func anOperationThatIsNotKnownIsReported() throws {
        let json =
            #"{"type":"diff","list":"room/a/messages","epoch":"e","from":1,"to":2,"swp":[],"new":1,"count":0,"digest":0}"#

        let frame = try ServerFrame(json: Array(json.utf8))

        guard case .diff(nil, _, _, let diff as ListDiff<Message>) = frame else {
            throw FrameError.notAnObject("\(frame)")
        }
        #expect(diff.unknownOperation == "swp")
    }

    @Test func aMemberSaysOnlyWhatIsToBeSaid() throws {
        let quiet = Member(id: UserName("ann")!, section: .online, sort: 1, rev: 2)
        let busy = Member(
            id: UserName("bob")!, section: .online, sort: 3, rev: 4, light: .init(isTyping: true, read: 9))
        let diff = ListDiff(
            from: 3, to: 4, insertions: [quiet, busy],
            reconfigurations: [ListReconfiguration<Member>(id: UserName("cid")!, rev: 4, light: .init())],
            proof: ListProof(count: 3, digest: 7), counts: [.online: 3, .offline: 0, .invited: 0])

        let frame = ServerFrame.diff(ref: nil, .members(RoomName("a")!), Epoch("e")!, diff)

        #expect(
            String(decoding: frame.json, as: UTF8.self) == #"""
                {"type":"diff","list":"room/a/members","epoch":"e","from":3,"to":4,"ins":[\#
                {"id":"ann","section":"online","sort":1,"rev":2},\#
                {"id":"bob","section":"online","sort":3,"rev":4,"typing":true,"read":9}],\#
                "cfg":[{"id":"cid","rev":4,"typing":false,"read":0}],\#
                "count":3,"digest":7,"counts":{"online":3,"offline":0,"invited":0}}
                """#)
    }

    @Test func aRoomSaysHowMuchIsUnreadAndWhatWasSaidLast() throws {
        let last = LastMessage(
            id: UniqueID("5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2")!, author: UserName("bob")!, time: 5, text: "hi")
        let busy = MyRoom(
            id: RoomName("a")!, sort: 3, rev: 4, light: .init(unread: 2, mentions: 1, read: 9, last: last))
        let diff = ListDiff(
            from: 3, to: 4, insertions: [busy],
            reconfigurations: [ListReconfiguration<MyRoom>(id: RoomName("b")!, rev: 4, light: .init(read: 1))],
            proof: ListProof(count: 2, digest: 7))

        let frame = ServerFrame.diff(ref: 5, .myRooms, Epoch("e")!, diff)

        #expect(
            String(decoding: frame.json, as: UTF8.self) == #"""
                {"type":"diff","list":"me/rooms","epoch":"e","from":3,"to":4,"ins":[\#
                {"id":"a","section":"rooms","sort":3,"rev":4,"unread":2,"mentions":1,"read":9,"last":\#
                {"id":"5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2","author":"bob","time":5,"text":"hi"}}],\#
                "cfg":[{"id":"b","rev":4,"unread":0,"mentions":0,"read":1}],"count":2,"digest":7,"ref":5}
                """#)
        #expect(try ServerFrame(json: frame.json) == frame)
    }

    @Test func aRoomSaysItsSectionItsTitleAndItsPeople() throws {
        let people = ["bob", "cid"].compactMap { UserName($0) }
        let rows = [
            MyRoom(
                id: RoomName("~0d9c2a54-8f3e-4b6a-a1d7-5e2f90c3b468")!, section: .invited, sort: 9, rev: 1,
                light: .init(inviter: UserName("ann"), title: RoomTitle("Plans"))),
            MyRoom(id: RoomName("@00112233445566778899aabbccddeeff")!, sort: 2, rev: 2, people: people),
        ]
        let snapshot = ListSnapshot(revision: 2, rows: rows, more: false, proof: ListProof(count: 2, digest: 7))

        let frame = ServerFrame.snapshot(
            ref: nil, .myRooms, ServerFrame.Snapshot(epoch: Epoch("e")!, joined: 2, why: .fresh, snapshot: snapshot))

        #expect(
            String(decoding: frame.json, as: UTF8.self) == #"""
                {"type":"snapshot","list":"me/rooms","epoch":"e","revision":2,"joined":2,"why":"fresh","sections":[\#
                {"id":"invited","rows":[{"id":"~0d9c2a54-8f3e-4b6a-a1d7-5e2f90c3b468","sort":9,"rev":1,\#
                "unread":0,"mentions":0,"read":0,"by":"ann","title":"Plans"}]},{"id":"pinned","rows":[]},\#
                {"id":"rooms","rows":[{"id":"@00112233445566778899aabbccddeeff","sort":2,"rev":2,\#
                "people":["bob","cid"],"unread":0,"mentions":0,"read":0}]},\#
                {"id":"archived","rows":[]}],"more":false,"count":2,"digest":7}
                """#)
        #expect(try ServerFrame(json: frame.json) == frame)
    }

    @Test(arguments: [
        ("7", "ins[0].by: found a number, must be a string"), (#""""#, "ins[0].by: '' is not right, must be 1 to 64"),
        (#""a\nb""#, "without control characters"), ("\"\(String(repeating: "x", count: 65))\"", "ins[0].by: 'xxx"),
    ])
    func whoInvitesIsAName(text: String, problem: String) throws {
        func frame(_ by: String) -> [UInt8] {
            Array(
                #"""
                {"type":"diff","list":"me/rooms","epoch":"e","from":1,"to":2,"ins":[{"id":"a","section":"invited",\#
                "sort":5,"rev":2,"unread":0,"mentions":0,"read":0,"by":\#(by)}],"count":1,"digest":7}
                """#.utf8)
        }

        let error = try #require(throws: FrameError.self) { try ServerFrame(json: frame(text)) }
        guard case .bad(_, let fault) = error else { throw error }
        #expect(fault.message.contains(problem), "\(fault.message)")
    }

    @Test func settingsAreWrittenOnlyWhereTheyAreSet() throws {
        let row = MyRoom(
            id: RoomName("a")!, section: .pinned, sort: 5, rev: 2, light: .init(isMuted: true, isMarked: true))
        let diff = ListDiff<MyRoom>(
            from: 1, to: 2, insertions: [row], reconfigurations: [.init(id: RoomName("b")!, rev: 2, light: .init())],
            proof: ListProof(count: 2, digest: 7))

        let frame = ServerFrame.diff(ref: nil, .myRooms, Epoch("e")!, diff)

        #expect(
            String(decoding: frame.json, as: UTF8.self) == #"""
                {"type":"diff","list":"me/rooms","epoch":"e","from":1,"to":2,"ins":[{"id":"a","section":"pinned",\#
                "sort":5,"rev":2,"unread":0,"mentions":0,"read":0,"muted":true,"marked":true}],"cfg":[{"id":"b",\#
                "rev":2,"unread":0,"mentions":0,"read":0}],"count":2,"digest":7}
                """#)
        #expect(try ServerFrame(json: frame.json) == frame)
    }

    @Test func aChangeOfSettingsSaysOnlyWhatChanges() throws {
        let change = SettingsChange(pinned: .off, isArchived: true, isMarked: false)
        let frame = ClientFrame(ref: 1, request: .settings(RoomName("a")!, change))

        #expect(
            String(decoding: frame.json, as: UTF8.self)
                == #"{"type":"settings","room":"a","pinned":false,"archived":true,"marked":false,"ref":1}"#)
        #expect(try ClientFrame(json: frame.json, limits: RandomFrames.limits) == frame)
    }

    @Test(arguments: [
        ("", ""), (String(repeating: "a", count: 200), String(repeating: "a", count: 200)),
        (String(repeating: "a", count: 201), String(repeating: "a", count: 200)),
        (String(repeating: "a", count: 199) + "é", String(repeating: "a", count: 199)),
        (String(repeating: "a", count: 197) + "👍b", String(repeating: "a", count: 197)),
        (String(repeating: "a", count: 196) + "👍b", String(repeating: "a", count: 196) + "👍"),
    ])
    func theBeginningOfATextEndsWithACharacter(text: String, beginning: String) {
        #expect(LastMessage(id: .random(), author: UserName("a")!, time: 0, text: text).text == beginning)
    }

    @Test func rowsStandInTheSectionThatJoiningGivesThem() throws {
        var frames = RandomFrames(seed: 1)
        let rows = (1...4).map { (sort: UInt64) in
            var row = frames.message(.history)
            row.sort = sort
            return row
        }
        let snapshot = ListSnapshot(revision: 4, rows: rows, more: false, proof: ListProof(count: 4, digest: 0))

        let sectioned = ServerFrame.Snapshot<Message>(
            epoch: frames.epoch(), joined: 2, why: .fresh, snapshot: snapshot)

        #expect(sectioned.snapshot.rows.map(\.section) == [.history, .history, .socket, .socket])
    }

    @Test func aRowInTheWrongSectionIsRefused() throws {
        let json = #"""
            {"type":"snapshot","list":"room/a/messages","epoch":"e","revision":3,"joined":2,"why":"fresh","sections":[
            {"id":"history","rows":[{"id":"11111111-2222-4333-8444-555555555555","sort":3,"rev":3,"author":"a","time":0,
            "text":"x"}]}],"more":false,"count":1,"digest":0}
            """#
        let message = "sections[0].rows: sort 3 belongs to the other section, joined is 2"

        #expect(throws: FrameError.bad(ref: nil, WireError(.invalid, message, field: "sections[0].rows"))) {
            try ServerFrame(json: Array(json.utf8))
        }
    }
}
