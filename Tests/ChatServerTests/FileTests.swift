import ChatRoom
import Files
import Foundation
import RoomStore
import TestSupport
import Testing
import Tokens

@testable import ChatServer
@testable import ChatWire

/// Files from one person to another, over the socket and HTTP, with a real folder.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct FileTests {
    private let mint = Mint()
    private let folder = TemporaryFolder()

    private func server(_ limits: FileLimits = FileLimits()) throws -> ServerUnderTest {
        let keyring = try mint.keyring(leeway: 60_000)
        let files = try FileFolder(path: folder.file("files"), limits: limits)
        return try ServerUnderTest {
            $0.keyring = keyring
            $0.files = files
            ($0.limits.files, $0.limits.fileBytes) = (ChatWire.Attachment.most, 1 << 20)
            $0.refusalTimer = RefusalTimer(every: .milliseconds(10))
            $0.allowances.pages = nil
        }
    }

    private func person(_ name: String, _ server: ServerUnderTest, _ grants: [String: Role]) async throws -> Connection
    {
        let connection = try server.connect()
        _ = try await connection.answer(to: .hello(.token(mint.token(name, grants))))
        return connection
    }

    private func describe(_ bytes: [UInt8], _ name: String, _ media: String) throws -> FileDescription {
        let path = folder.file(UniqueID.random().description)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        let digest = try #require(Signer.sha256(ofFile: handle.fileDescriptor))
        return try #require(FileDescription(name: name, media: media, size: bytes.count, sha256: digest))
    }

    private func permit(
        _ bytes: [UInt8], _ name: String = "a.png", _ media: String = "image/png", for message: MessageID,
        in room: RoomName = room, by person: Connection
    ) async throws -> UploadPermit {
        let request = UploadRequest(room: room, message: message, file: try describe(bytes, name, media))
        guard case .uploading(_, let permit) = try await person.answer(to: .upload(request)) else { throw Unexpected() }
        return permit
    }

    /// Uploads a file whole.
    private func upload(
        _ bytes: [UInt8], _ name: String = "a.png", _ media: String = "image/png", for message: MessageID,
        by person: Connection, _ server: ServerUnderTest
    ) async throws -> ChatWire.Attachment {
        let permit = try await permit(bytes, name, media, for: message, by: person)
        let answer = try HTTPAnswer(putting: bytes, at: permit.url, of: server.server.port)
        #expect(answer.status == 201)
        return try ChatWire.Attachment(uploaded: answer.body)
    }

    private func link(_ file: FileID, of message: MessageID, for person: Connection) async throws -> String {
        let request = LinksRequest(room: room, files: [FilePlace(message: message, file: file)])
        guard case .links(_, let links) = try await person.answer(to: .links(request)), links.urls.count == 1 else {
            throw Unexpected()
        }
        return links.urls[0]
    }

    private func reason(_ answer: HTTPAnswer) -> String? {
        (try? JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])?["reason"] as? String
    }

    @Test func aFileComesToAnotherPersonAndGoesWithItsMessage() async throws {
        let server = try server()
        let port = server.server.port
        let (ann, bob) = (try await person("ann", server, ["*": .write]), try await person("bob", server, ["*": .read]))
        let (message, bytes) = (MessageID.random(), (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

        let file = try await upload(bytes, for: message, by: ann, server)
        let content = MessageContent("a.png", files: [file])
        #expect(try await ann.answer(to: .send(room: room, id: message, content)).errorCode == nil)
        #expect(try await ann.answer(to: .send(room: room, id: message, content)).errorCode == nil, "a repeat")

        guard case .snapshot(_, _, let snapshot) = try await bob.answer(to: .subscribe(lobby, limit: 50, resume: nil)),
            let row = (snapshot as? ServerFrame.Snapshot<Message>)?.snapshot.rows.first
        else { throw Unexpected() }
        #expect(row.content.files == [file.withoutProof])
        let link = try await link(file.id, of: message, for: bob)
        #expect(try HTTPAnswer(getting: link, from: port).body == bytes)

        #expect(try await ann.answer(to: .delete(room: room, command: .random(), id: message)).errorCode == nil)
        // The link stays an address; the file is gone before long.
        while try HTTPAnswer(getting: link, from: port).status == 200 { await Task.yield() }
        #expect(reason(try HTTPAnswer(getting: link, from: port)) == "no_file")
    }

    @Test func anUploadGoesOnWhereItBrokeOff() async throws {
        let server = try server()
        let port = server.server.port
        let ann = try await person("ann", server, ["*": .write])
        let bytes = (0..<5_000).map { UInt8(truncatingIfNeeded: $0) }
        let url = try await permit(bytes, for: .random(), by: ann).url
        func put(_ range: Range<Int>) throws -> HTTPAnswer {
            let place = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"
            return try HTTPAnswer(putting: bytes[range], at: url, of: port, headers: ["Content-Range": place])
        }
        func offset() throws -> String? { try HTTPAnswer(asking: url, of: port).headers["upload-offset"] }

        #expect(try offset() == "0")
        let first = try put(0..<2_000)
        #expect((first.status, first.headers["upload-offset"]) == (202, "2000"))
        #expect(try offset() == "2000")
        let wrong = try put(3_000..<5_000)
        #expect((wrong.status, wrong.headers["upload-offset"], reason(wrong)) == (409, "2000", "offset"))
        #expect(try put(2_000..<5_000).status == 201)
        #expect(try offset() == "5000")
        let again = try HTTPAnswer(putting: bytes, at: url, of: port)
        #expect(again.status == 201, "the answer was lost")
        #expect(try ChatWire.Attachment(uploaded: again.body).proof != nil)
    }

    @Test func otherBytesAreRefused() async throws {
        let server = try server()
        let port = server.server.port
        let ann = try await person("ann", server, ["*": .write])
        let url = try await permit([1, 2, 3], for: .random(), by: ann).url

        #expect(reason(try HTTPAnswer(putting: [1, 2, 4], at: url, of: port)) == "checksum")
        #expect(reason(try HTTPAnswer(putting: [1, 2], at: url, of: port)) == "invalid", "too few")
        #expect(reason(try HTTPAnswer(putting: [1, 2, 3, 4], at: url, of: port)) == "invalid", "too many")
        for place in ["bytes 0-2/4", "bytes 1-0/3", "bytes 0-1/3", "items 0-2/3", "0-2/3", "bytes -1-2/3", "bytes */3"]
        {
            let answer = try HTTPAnswer(putting: [1, 2, 3], at: url, of: port, headers: ["Content-Range": place])
            #expect(reason(answer) == "invalid", "\(place)")
        }
        #expect(reason(try HTTPAnswer(putting: [1, 2, 3], at: url + "A", of: port)) == "link")
        #expect(try HTTPAnswer(posting: "{}", to: url, of: port).status == 405)
        #expect(try HTTPAnswer(putting: [1, 2, 3], at: url, of: port).status == 201)
    }

    @Test(
        arguments: [
            (nil, 200, 0..<10), ("bytes=2-4", 206, 2..<5), ("bytes=2-", 206, 2..<10), ("bytes=-3", 206, 7..<10),
            ("bytes=2-99", 206, 2..<10), ("bytes=-99", 206, 0..<10), ("bytes=0-0", 206, 0..<1),
            ("bytes=10-", 416, 0..<0),
            ("bytes=-0", 416, 0..<0), ("bytes=4-2", 200, 0..<10), ("bytes=0-1,3-4", 200, 0..<10),
            ("lines=1-2", 200, 0..<10),
            ("bytes=-", 200, 0..<10), ("bytes=99999999999999999999-", 200, 0..<10),
        ] as [(String?, Int, Range<Int>)])
    func aPartOfAFileIsTheOneThatWasAskedFor(range: String?, status: Int, part: Range<Int>) {
        switch ByteRange(range, of: 10) {
        case .whole: #expect((status, part) == (200, 0..<10))
        case .part(let found): #expect((status, part) == (206, found))
        case .outside: #expect(status == 416)
        }
    }

    /// What is served runs no script in the page's origin, whatever it says that it is.
    @Test(arguments: [
        ("cat.png", "image/png", true), ("film.mp4", "video/mp4", true), ("page.html", "text/html", false),
        ("picture.svg", "image/svg+xml", false), ("code.js", "text/javascript", false),
        ("日 \"本\".pdf", "application/pdf", false),
    ])
    func whatIsServedIsDrawnOnlyWhereThatIsSafe(name: String, media: String, isDrawn: Bool) async throws {
        let server = try server()
        let port = server.server.port
        let ann = try await person("ann", server, ["*": .write])
        let message = MessageID.random()
        let file = try await upload([1, 2, 3], name, media, for: message, by: ann, server)
        let link = try await link(file.id, of: message, for: ann)

        let answer = try HTTPAnswer(getting: link, from: port)
        let saved = try HTTPAnswer(getting: link + "?download", from: port)
        let known = try HTTPAnswer(getting: link, from: port, headers: ["If-None-Match": answer.headers["etag"] ?? ""])
        let part = try HTTPAnswer(getting: link, from: port, headers: ["Range": "bytes=1-1"])

        #expect(answer.headers["content-type"] == (isDrawn ? media : "application/octet-stream"))
        #expect(answer.headers["content-disposition"]?.hasPrefix(isDrawn ? "inline; " : "attachment; ") == true)
        #expect(answer.headers["x-content-type-options"] == "nosniff")
        #expect(answer.headers["content-security-policy"] == "default-src 'none'; sandbox")
        #expect(saved.headers["content-type"] == "application/octet-stream" && saved.body == [1, 2, 3])
        #expect((known.status, known.body) == (304, []))
        #expect((part.status, part.body, part.headers["content-range"]) == (206, [2], "bytes 1-1/3"))
        #expect(try HTTPAnswer(asking: link, of: port).headers["content-length"] == "3")
    }

    /// Whoever may not write may not upload, whoever may not read gets no link.
    @Test(arguments: Role.allCases)
    func rightsAreThoseOfTheRoom(role: Role) async throws {
        let server = try server()
        let person = try await person("bob", server, ["lobby": role])
        let upload = UploadRequest(room: room, message: .random(), file: try describe([1], "a", "a/b"))
        let links = LinksRequest(room: room, files: [FilePlace(message: .random(), file: .random())])

        #expect((try await person.answer(to: .upload(upload)).errorCode == nil) == (role >= .write))
        #expect((try await person.answer(to: .links(links)).errorCode == nil) == (role >= .read))
    }

    @Test func aMessageNamesOnlyFilesThatItsAuthorUploadedForIt() async throws {
        let server = try server()
        let (ann, bob) = (
            try await person("ann", server, ["*": .write]), try await person("bob", server, ["*": .write])
        )
        let message = MessageID.random()
        let file = try await upload([1, 2, 3], for: message, by: ann, server)
        func send(_ file: ChatWire.Attachment, as id: MessageID, by person: Connection) async throws -> WireError.Code?
        {
            try await person.answer(to: .send(room: room, id: id, MessageContent("x", files: [file]))).errorCode
        }

        #expect(try await send(file, as: message, by: bob) == .notFound)
        #expect(try await send(file, as: .random(), by: ann) == .notFound)
        var forged = file
        forged.proof = "proof"
        #expect(try await send(forged, as: message, by: ann) == .notFound)
        #expect(try await send(file, as: message, by: ann) == nil)
    }

    @Test func aPersonHasNoMoreThanTheyMay() async throws {
        var limits = FileLimits()
        limits.user = 5
        let server = try server(limits)
        let ann = try await person("ann", server, ["*": .write])
        _ = try await upload([1, 2, 3], for: .random(), by: ann, server)

        let url = try await permit([1, 2, 3], for: .random(), by: ann).url
        let answer = try HTTPAnswer(putting: [1, 2, 3], at: url, of: server.server.port)

        #expect((answer.status, reason(answer)) == (413, "user_files"))
    }
}
