import ChatWire
import TestSupport
import Testing
import Tokens

@testable import Files

/// What a server signs about files serves nobody else, for nothing else, and no longer than it may.
struct FileTicketTests {
    private let tickets = FileTickets(Signer(secret: Array(repeating: 7, count: 32)))
    private let others = FileTickets(Signer(secret: Array(repeating: 8, count: 32)))
    private let ann = UserName("ann")!
    private let bob = UserName("bob")!
    private let lobby = RoomName("lobby")!
    private let attic = RoomName("attic")!
    private let message = MessageID.random()
    private let now: Milliseconds = 1_795_000_000_000

    private let file = FileDescription(
        name: "日本.png", media: "image/png", size: 7, sha256: String(repeating: "0a", count: 32))!

    private func upload(at time: Milliseconds) throws -> Upload {
        let permit = tickets.permit(UploadRequest(room: lobby, message: message, file: file), by: ann, at: time)
        return try tickets.upload(at: permit.url, at: time)
    }

    @Test func anUploadIsWhatWasAllowed() throws {
        let permit = tickets.permit(UploadRequest(room: lobby, message: message, file: file), by: ann, at: now)

        let upload = try tickets.upload(at: permit.url, at: permit.until)

        let place = StoredFile.Place(room: lobby, message: message, id: permit.file)
        #expect(upload == Upload(place: place, user: ann, file: file, until: permit.until))
        #expect(throws: WireError.self) { try tickets.upload(at: permit.url, at: permit.until + 1) }
        #expect(throws: WireError.self) { try others.upload(at: permit.url, at: now) }
        #expect(throws: WireError.self, "an upload is no link") {
            try tickets.link(at: FileTickets.filePath + permit.url.dropFirst(FileTickets.uploadPath.count), at: now)
        }
    }

    /// Each byte of an address counts.
    @Test func aChangedAddressIsNoAddress() throws {
        let permit = tickets.permit(UploadRequest(room: lobby, message: message, file: file), by: ann, at: now)
        var random = SplitMix64(seed: 1)
        for place in permit.url.utf8.indices.dropFirst(FileTickets.uploadPath.utf8.count) {
            let other = UInt8(ascii: "A") + UInt8.random(in: 0..<26, using: &random)
            var bytes = Array(permit.url.utf8)
            let index = permit.url.utf8.distance(from: permit.url.utf8.startIndex, to: place)
            guard bytes[index] != other else { continue }
            bytes[index] = other
            #expect(throws: WireError.self) {
                try tickets.upload(at: String(decoding: bytes, as: UTF8.self), at: now)
            }
        }
        for ticket in ["", ".", "a.b", "a", permit.url] {
            #expect(throws: WireError.self) { try tickets.upload(at: FileTickets.uploadPath + ticket, at: now) }
        }
    }

    @Test func aProofHoldsForItsMessageAndItsAuthorOnly() throws {
        let proven = tickets.proof(of: try upload(at: now))
        func check(
            _ file: ChatWire.Attachment, message: MessageID? = nil, room: RoomName? = nil, user: UserName? = nil,
            after time: Milliseconds = 0
        ) throws -> MessageContent {
            try tickets.checked(
                MessageContent("x", files: [file]), of: message ?? self.message, in: room ?? lobby, by: user ?? ann,
                at: now + time)
        }
        var shown = proven
        (shown.dimensions, shown.preview) = (.init(width: 3, height: 4), "AAAA")

        #expect(try check(shown).files == [shown.withoutProof], "what the client says is kept, and the proof is not")
        #expect(try check(proven, after: FileTickets.sendTime - 1).files.count == 1)
        #expect(throws: WireError.self) { try check(proven, after: FileTickets.sendTime + 1) }
        #expect(throws: WireError.self) { try check(proven, message: .random()) }
        #expect(throws: WireError.self) { try check(proven, room: attic) }
        #expect(throws: WireError.self) { try check(proven, user: bob) }
        #expect(throws: WireError.self) { try check(proven.withoutProof) }
        let larger = FileDescription(name: file.name, media: file.media, size: 8, sha256: file.sha256)!
        #expect(throws: WireError.self) { try check(ChatWire.Attachment(id: proven.id, larger, proof: proven.proof)) }
        #expect(throws: WireError.self) { try check(ChatWire.Attachment(id: .random(), file, proof: proven.proof)) }
    }

    @Test func aLinkIsTheSameForAllWhoAskWithinHalfAnHour() throws {
        let place = FilePlace(message: message, file: .random())
        let request = LinksRequest(room: lobby, files: [place])
        let start = now / FileTickets.linkTime * FileTickets.linkTime

        let first = tickets.links(request, at: start)
        let last = tickets.links(request, at: start + FileTickets.linkTime - 1)

        #expect(first == last && tickets.links(request, at: start + FileTickets.linkTime) != first)
        #expect(first.until == start + 2 * FileTickets.linkTime)
        let link = try tickets.link(at: first.urls[0], at: first.until)
        #expect(link.place == StoredFile.Place(room: lobby, message: message, id: place.file))
        #expect(throws: WireError.self) { try tickets.link(at: first.urls[0], at: first.until + 1) }
        #expect(throws: WireError.self) { try others.link(at: first.urls[0], at: start) }
    }
}
