import ChatRoom
import ChatServer
import ChatWire
import Foundation
import TestSupport
import Testing

/// The table of the kinds of lists in docs/protocol-reference.md, beside a list of each kind.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct ListKindTests {
    private typealias Frame = [String: Any]
    private static let ann = UserName("ann")!
    private let folder = TemporaryFolder()

    /// Fills each list of ann.
    private func fill(_ ann: Connection, _ bob: Connection) async throws {
        let message = MessageID.random()
        let steps: [ClientFrame.Request] = [
            .create(.random(), .open(room)), .say("hello", id: message),
            .moderate(room: room, command: .random(), .pin(message, .last)), .people([Self.ann]),
            .draft(room, "see you th"), .later(.random(), LaterItem.Plan(.remind(message), in: room, at: 1)),
            .block(UserName("mallory")!, .on), .send(room: room.thread(of: message), id: .random(), "a reply"),
        ]
        for step in steps { #expect(try await ann.answer(to: step).errorCode == nil) }
        let call = MessageContent("hello", mentions: [Self.ann])
        #expect(try await bob.answer(to: .send(room: room, id: .random(), call)).errorCode == nil)
        #expect(try await bob.answer(to: .subscribe(lobby, limit: 50, resume: nil)).errorCode == nil)
    }

    /// Returns the answer to a request of ann on a connection of its own.
    private func answer(to request: ClientFrame.Request, at server: ServerUnderTest, after list: ListName? = nil) throws
        -> Frame
    {
        let reader = try RawReader(port: server.server.port)
        try reader.say(ClientFrame(ref: 1, request: .hello(.user(Self.ann))))
        if let list { try reader.say(ClientFrame(ref: 2, request: .subscribe(list, limit: 50, resume: nil))) }
        for ref in [1, list.map { _ in 2 }].compactMap(\.self) { _ = try self.answer(ref, reader) }
        try reader.say(ClientFrame(ref: 3, request: request))
        return try self.answer(3, reader)
    }

    private func answer(_ ref: Int, _ reader: RawReader) throws -> Frame {
        while true {
            let frame = try JSONSerialization.jsonObject(with: Data(reader.next())) as? Frame
            if let frame, frame["ref"] as? Int == ref { return frame }
        }
    }

    private func rows(_ frame: Frame) -> [Frame] {
        (frame["sections"] as? [Frame] ?? []).flatMap { $0["rows"] as? [Frame] ?? [] }
    }

    @Test func eachListIsOfItsDocumentedKind() async throws {
        let desk = try AdminDesk(store: StoreOfTheRun.current.open(in: folder)) { $0.members.tick = .milliseconds(20) }
        #expect(try desk.post("profile", #"{"user":"ann","name":"Ann","picture":""}"#).status == 200)
        let (ann, bob) = (try await desk.server.join(as: "ann"), try await desk.server.join(as: "bob"))
        try await fill(ann, bob)
        let kinds = try ProtocolDocuments.listKinds
        #expect(kinds.count == 10)

        for kind in kinds {
            let list = try #require(ListName(kind.list.replacing("NAME", with: room.description)))
            let fresh = try answer(to: .subscribe(list, limit: 50, resume: nil), at: desk.server)
            let rows = rows(fresh)
            #expect(!rows.isEmpty && rows.allSatisfy { ($0["tag"] != nil) == kind.hasTags }, "\(list)")
            #expect((fresh["counts"] != nil) == kind.hasCounts, "\(list)")
            try expectResume(of: list, naming: rows, kind, desk.server)
            try expectPages(of: list, rows, kind, desk.server)
        }
        withExtendedLifetime((ann, bob)) {}
    }

    private func expectResume(
        of list: ListName, naming rows: [Frame], _ kind: ProtocolDocuments.ListKind, _ server: ServerUnderTest
    ) throws {
        var resume = Resume(epoch: Epoch("other")!, revision: 9, joined: 9)
        resume.rows = rows.compactMap { row in
            guard let id = row["id"] as? String, let tag = (row["tag"] as? String).flatMap({ UniqueID($0) }) else {
                return nil
            }
            return Resume.HeldRow(id: id, tag: tag)
        }
        if !kind.hasTags { resume.rows = nil }
        #expect(kind.resume == (kind.hasTags ? "rows" : list == lobby ? "ranges" : "nothing"))
        let answer = try answer(to: .subscribe(list, limit: 50, resume: resume), at: server)
        #expect(answer["type"] as? String == (kind.hasTags ? "diff" : "snapshot"), "\(list)")
        #expect((answer["kept"] != nil) == kind.hasTags, "\(list)")
    }

    private func expectPages(
        of list: ListName, _ rows: [Frame], _ kind: ProtocolDocuments.ListKind, _ server: ServerUnderTest
    ) throws {
        let row = rows.last ?? [:]
        let request =
            switch list {
            case .myMentions: try olderThan(row)
            case .members(let room): ClientFrame.Request.membersPage(room, MembersSearch(limit: 50))
            default: ClientFrame.Request.page(list, .before(90), limit: 50)
            }
        let answer = try answer(to: request, at: server, after: list)
        switch kind.pages {
        case "any part": #expect(answer["from"] as? Int == 0 && (answer["rows"] as? [Frame])?.count == rows.count)
        case "older rows": #expect(answer["from"] == nil && (answer["rows"] as? [Frame])?.count == 0, "\(answer)")
        case "people by name":
            let members = rows.filter { $0["since"] != nil }.compactMap { $0["id"] as? String }
            let found = (answer["rows"] as? [Frame] ?? []).compactMap { $0["id"] as? String }
            #expect(found == members && !found.isEmpty, "\(answer)")
        default: #expect(kind.pages == "none" && answer["reason"] as? String == "not_paged", "\(answer)")
        }
    }

    private func olderThan(_ mention: Frame) throws -> ClientFrame.Request {
        let message = MessageID(mention["message"] as? String ?? "")
        let (id, time) = (try #require(message), try #require(mention["time"] as? Milliseconds))
        let place = MentionPlace(id: MyMention.ID(room: room, message: id), time: time)
        return .mentionsPage(before: place, limit: 50)
    }
}
