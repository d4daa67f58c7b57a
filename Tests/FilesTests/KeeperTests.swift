import ChatWire
import Foundation
import HTTPClient
import TestSupport
import Testing
import Tokens

@testable import Files

/// The laws of every place for files.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct KeeperTests {
    enum Kind: CaseIterable { case folder, bucket }

    private let folder = TemporaryFolder()
    private let requester = HTTPRequester(seconds: 60, longestBody: 1 << 20)
    private let lobby = RoomName("lobby")!

    private var present: Milliseconds { Milliseconds(Date.now.timeIntervalSince1970 * 1_000) }

    /// A place of files, and the program that it needs.
    private struct Place {
        let keeper: any FileKeeper
        let store: StoreStandIn?
    }

    private func place(_ kind: Kind, _ limits: FileLimits = FileLimits()) async throws -> Place {
        switch kind {
        case .folder: return Place(keeper: try FileFolder(path: folder.file("files"), limits: limits), store: nil)
        case .bucket:
            let store = try await StoreStandIn()
            return Place(keeper: try bucket(store, limits), store: store)
        }
    }

    private func bucket(_ store: StoreStandIn, _ limits: FileLimits = FileLimits()) throws -> FileBucket {
        let place = try BucketPlace(
            "s3://\(StoreStandIn.bucket)/some", endpoint: store.address, region: StoreStandIn.region)
        return FileBucket(
            place, AccessKey(id: StoreStandIn.key.id, secret: StoreStandIn.key.secret), limits: limits)
    }

    private func request(
        _ bytes: [UInt8], for message: MessageID = .random(), in room: String = "lobby", name: String = "a.png"
    ) -> UploadRequest {
        let file = FileDescription(
            name: name, media: "image/png", size: bytes.count, sha256: SHA256.hash(bytes).hexadecimal)!
        return UploadRequest(room: RoomName(room)!, message: message, file: file)
    }

    /// Uploads a file as a client and a server do it together.
    @discardableResult
    private func upload(
        _ bytes: [UInt8], _ request: UploadRequest, by user: String = "ann", _ place: Place
    ) throws -> StoredFile.Place {
        let permit = try place.keeper.permit(request, by: UserName(user)!, at: present)
        switch place.keeper.target {
        case .folder(let folder):
            let upload = try folder.tickets.upload(at: permit.url, at: present)
            let file = try folder.begin(upload, at: 0)
            #expect(pwrite(file.descriptor, bytes, bytes.count, 0) == bytes.count)
            #expect(try folder.finish(upload, file) == bytes.count)
            return upload.place
        case .bucket(let bucket):
            let answer = requester.perform(
                .init(.put, permit.url, headers: permit.headers.map { ($0.key, $0.value) }, body: bytes))
            guard case .answered(let answer) = answer, answer.status == 200 else { throw Refused(answer: answer) }
            let upload = try bucket.tickets.upload(at: try #require(permit.confirm), at: present)
            try bucket.confirm(upload)
            return upload.place
        }
    }

    private struct Refused: Error { let answer: HTTPRequester.Outcome }

    private func bytes(_ place: StoredFile.Place, _ keeper: any FileKeeper) throws -> [UInt8]? {
        switch try keeper.find(place, for: .show, at: present) {
        case .here(_, let file)?:
            let data = try FileHandle(fileDescriptor: file.descriptor, closeOnDealloc: false).readToEnd()
            return data.map { [UInt8]($0) } ?? []
        case .elsewhere(_, let url, _)?:
            guard case .answered(let answer) = requester.perform(.init(.get, url)) else { return nil }
            return answer.status == 200 ? answer.body : nil
        case nil: return nil
        }
    }

    private func attachment(_ bytes: [UInt8], _ place: StoredFile.Place) -> ChatWire.Attachment {
        Attachment(id: place.id, request(bytes).file)
    }

    @Test(arguments: Kind.allCases)
    func whatIsUploadedIsFoundAndGoesWithItsMessage(kind: Kind) async throws {
        let place = try await place(kind)
        let request = request([1, 2, 3], name: "日本 '100%'.png")
        let found = try upload([1, 2, 3], request, place)
        let other = try upload([4], self.request([4]), place)

        #expect(try bytes(found, place.keeper) == [1, 2, 3])
        let stored = try #require(try place.keeper.find(found, for: .show, at: present)).stored
        #expect(stored == StoredFile(place: found, user: UserName("ann")!, file: request.file))
        try place.keeper.removeFiles(of: found.message, in: found.room)
        #expect(try bytes(found, place.keeper) == nil && bytes(other, place.keeper) == [4])
    }

    @Test(arguments: Kind.allCases)
    func aCheckFindsWhatIsMissing(kind: Kind) async throws {
        let place = try await place(kind)
        let found = try upload([1, 2, 3], request([1, 2, 3]), place)
        func fault(_ bytes: [UInt8]) throws -> String? {
            try place.keeper.fault(of: attachment(bytes, found), of: found.message, in: found.room)
        }

        #expect(try fault([1, 2, 3]) == nil)
        #expect(try fault([1, 2]) == "has 3 bytes, must have 2")
        #expect(try fault([1, 2, 4]) == "has other bytes than were uploaded")
        try place.keeper.removeFiles(of: found.message, in: found.room)
        #expect(try fault([1, 2, 3])?.hasPrefix("is not in the ") == true)
    }

    /// A file that no message has had for a day goes then, and not before.
    @Test(arguments: Kind.allCases)
    func aSweepKeepsWhatMessagesHave(kind: Kind) async throws {
        let place = try await place(kind)
        let message = MessageID.random()
        let sent = try upload([1], request([1], for: message), place)
        let aside = try upload([2], request([2], for: message), place)
        let forgotten = try upload([3], request([3], in: "attic"), place)
        let kept: (MessageID, RoomName) -> Set<FileID>? = { id, _ in id == message ? [sent.id] : [] }
        let (start, later) = (present, present + 2 * FileTickets.sendTime)
        func sweep(_ time: Milliseconds, _ kept: (MessageID, RoomName) -> Set<FileID>?) throws -> Int {
            try place.keeper.sweep(at: time, kept)
        }

        #expect(try sweep(later) { _, _ in nil } == 0, "the data does not answer")
        #expect(try sweep(later, kept) == 0, "this is the first time that they have no message")
        #expect(try sweep(start + FileTickets.sendTime, kept) == 0, "their messages may still come")
        for file in [sent, aside, forgotten] { #expect(try bytes(file, place.keeper) != nil) }
        #expect(try sweep(later, kept) == 2)
        #expect(try bytes(sent, place.keeper) == [1])
        for file in [aside, forgotten] { #expect(try bytes(file, place.keeper) == nil) }
        #expect(try sweep(later, kept) == 0)
    }

    /// A server that is started with other data finds no messages. With the right data again nothing is lost.
    @Test(arguments: Kind.allCases)
    func otherDataForAWhileLosesNothing(kind: Kind) async throws {
        let place = try await place(kind)
        let sent = try upload([1], request([1]), place)
        let later = present + 2 * FileTickets.sendTime

        for _ in 0..<3 {
            #expect(try place.keeper.sweep(at: later) { _, _ in [] } == 0)
            #expect(try place.keeper.sweep(at: later) { _, _ in [sent.id] } == 0)
        }
        #expect(try place.keeper.sweep(at: later) { _, _ in [] } == 0, "it begins anew")
        #expect(try bytes(sent, place.keeper) == [1])
    }

    @Test(arguments: Kind.allCases)
    func aPersonAndARoomHaveNoMoreThanTheyMay(kind: Kind) async throws {
        var limits = FileLimits()
        (limits.user, limits.room) = (5, 8)
        let place = try await place(kind, limits)
        let first = try upload([1, 2, 3], request([1, 2, 3]), place)

        #expect(throws: FileRefusal.tooMuch(.user(UserName("ann")!), most: 5)) {
            try upload([1, 2, 3], request([1, 2, 3]), place)
        }
        try upload([1, 2, 3], request([1, 2, 3]), by: "bob", place)
        #expect(throws: FileRefusal.tooMuch(.room(lobby), most: 8)) {
            try upload([1, 2, 3], request([1, 2, 3]), by: "cid", place)
        }
        try place.keeper.removeFiles(of: first.message, in: first.room)
        #expect(try place.keeper.sweep(at: present) { _, _ in nil } == 0)
        try upload([1, 2, 3], request([1, 2, 3]), place)
    }

    /// A server that begins, or another one that has uploaded, is counted by a sweep.
    @Test(arguments: Kind.allCases)
    func aSweepCountsWhatOthersUploaded(kind: Kind) async throws {
        var limits = FileLimits()
        limits.user = 5
        let others = try await place(kind)
        for _ in 0..<3 { try upload([1], request([1]), others) }
        let keeper: any FileKeeper =
            switch others.store {
            case let store?: try bucket(store, limits)
            case nil: try FileFolder(path: folder.file("files"), limits: limits)
            }
        let place = Place(keeper: keeper, store: others.store)

        #expect(try keeper.sweep(at: present) { _, _ in nil } == 0)

        #expect(throws: FileRefusal.self) { try upload([1, 2, 3], request([1, 2, 3]), place) }
        try upload([1, 2], request([1, 2]), place)
    }

    // MARK: - Buckets

    @Test func aStoreTakesOnlyWhatWasAnnounced() async throws {
        let place = try await place(.bucket)
        let announced = request([1, 2, 3])
        let permit = try place.keeper.permit(announced, by: UserName("ann")!, at: present)
        func status(_ bytes: [UInt8], _ change: (inout [String: String]) -> Void = { _ in }) -> Int? {
            var headers = permit.headers
            change(&headers)
            let lines = headers.map { (name: $0.key, value: $0.value) }
            let outcome = requester.perform(.init(.put, permit.url, headers: lines, body: bytes))
            guard case .answered(let answer) = outcome else { return nil }
            return answer.status
        }

        #expect(status([1, 2, 4]) == 400, "other bytes")
        #expect(status([1, 2]) == 403, "fewer bytes")
        #expect(status([1, 2, 3]) { $0["x-amz-meta-user"] = "bob" } == 403)
        #expect(status([1, 2, 4]) { $0["x-amz-checksum-sha256"] = nil } == 403)
        #expect(status([1, 2, 3]) == 200)
    }

    @Test func whatIsNotThereIsNotConfirmed() async throws {
        let place = try await place(.bucket)
        guard case .bucket(let bucket) = place.keeper.target else { return }
        let permit = try bucket.permit(request([1, 2, 3]), by: UserName("ann")!, at: present)
        let upload = try bucket.tickets.upload(at: try #require(permit.confirm), at: present)

        #expect(throws: FileRefusal.isMissing) { try bucket.confirm(upload) }
    }

    @Test func serversWithTheSameKeyAnswerForEachOther() async throws {
        let store = try await StoreStandIn()
        let request = LinksRequest(room: lobby, files: [FilePlace(message: .random(), file: .random())])

        #expect(try bucket(store).tickets.links(request, at: 7) == bucket(store).tickets.links(request, at: 7))
    }

    /// Its fault says what does not answer, and the next ones come at once.
    @Test func aStoreThatIsGoneIsReported() async throws {
        let place = try await place(.bucket)
        let found = try upload([1], request([1]), place)
        await place.store?.end()

        for _ in 0..<3 {
            let fault = #expect(throws: FileFault.self) { try bytes(found, place.keeper) }
            #expect(fault?.description.contains("does not answer") == true)
        }
        #expect(throws: FileFault.self) { try place.keeper.sweep(at: present) { _, _ in nil } }
        _ = try place.keeper.permit(request([1]), by: UserName("ann")!, at: present)
    }

    @Test func aWrongKeyIsReported() async throws {
        let store = try await StoreStandIn()
        let place = try BucketPlace("s3://chat", endpoint: store.address, region: StoreStandIn.region)
        let keeper = FileBucket(place, AccessKey(id: "tester", secret: "other"), limits: FileLimits())

        let fault = #expect(throws: FileFault.self) { try keeper.sweep(at: present) { _, _ in nil } }

        #expect(fault?.description.contains("SignatureDoesNotMatch: see that the key of --files-credentials") == true)
    }
}

extension KeptFile {
    fileprivate var stored: StoredFile {
        switch self {
        case .here(let stored, _), .elsewhere(let stored, _, _): stored
        }
    }
}
