import ChatWire
import Foundation
import TestSupport
import Testing
import Tokens

@testable import Files

/// The folder against a naive model: whatever is uploaded, broken off, deleted and swept, what is there is what should be.
struct FileFolderTests {
    private let folder = TemporaryFolder()
    private let now: Milliseconds = 1_795_000_000_000

    private func open(_ limits: FileLimits = FileLimits()) throws -> FileFolder {
        try FileFolder(path: folder.file("files"), limits: limits)
    }

    private func upload(
        _ bytes: [UInt8], for message: MessageID = .random(), in room: String = "lobby", by user: String = "ann"
    ) throws -> Upload {
        let scratch = folder.file("scratch")
        try Data(bytes).write(to: URL(fileURLWithPath: scratch))
        let digest = try #require(try DiskFile(reading: scratch).flatMap { Signer.sha256(ofFile: $0.descriptor) })
        let file = try #require(
            FileDescription(name: "a.bin", media: "application/octet-stream", size: bytes.count, sha256: digest))
        let place = StoredFile.Place(room: RoomName(room)!, message: message, id: .random())
        return Upload(place: place, user: UserName(user)!, file: file, until: .max)
    }

    /// Writes a part of a file as the transport does.
    @discardableResult
    private func write(_ bytes: ArraySlice<UInt8>, of upload: Upload, _ folder: FileFolder) throws -> Int {
        let file = try folder.begin(upload, at: bytes.startIndex)
        let written = bytes.withUnsafeBytes {
            pwrite(file.descriptor, $0.baseAddress, $0.count, off_t(bytes.startIndex))
        }
        #expect(written == bytes.count)
        return try folder.finish(upload, file)
    }

    private func bytes(at place: StoredFile.Place, _ folder: FileFolder) throws -> [UInt8]? {
        guard let (_, file) = try folder.open(place) else { return nil }
        let data = try FileHandle(fileDescriptor: file.descriptor, closeOnDealloc: false).readToEnd()
        return data.map { [UInt8]($0) } ?? []
    }

    /// What is there is whole, whatever came of the others; a folder that is opened again goes on where it was.
    @Test(arguments: UInt64(0)..<30)
    func whatIsThereIsWhatWasUploadedWhole(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var files = try open()
        var held: [MessageID: [StoredFile.Place: [UInt8]]] = [:]
        var parts: [(upload: Upload, bytes: [UInt8], count: Int)] = []
        for _ in 0..<60 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1, 2:
                let bytes = (0..<Int.random(in: 1...2_000, using: &random)).map { _ in
                    UInt8.random(in: 0...9, using: &random)
                }
                let message = held.keys.sorted().randomElement(using: &random).flatMap {
                    Bool.random(using: &random) ? $0 : nil
                }
                parts.append((try upload(bytes, for: message ?? .random()), bytes, 0))
            case 3, 4, 5:
                guard let index = parts.indices.randomElement(using: &random) else { continue }
                let (upload, bytes, count) = parts[index]
                let end = Int.random(in: (count + 1)...bytes.count, using: &random)
                #expect(try files.count(of: upload) == count)
                #expect(throws: FileRefusal.otherOffset(count)) { try files.begin(upload, at: count + 1) }
                #expect(try write(bytes[count..<end], of: upload, files) == end)
                parts[index].count = end
                guard end == bytes.count else { continue }
                held[upload.place.message, default: [:]][upload.place] = bytes
                parts.remove(at: index)
            case 6:
                guard let message = held.keys.sorted().randomElement(using: &random) else { continue }
                try files.removeFiles(of: message, in: RoomName("lobby")!)
                held[message] = nil
                parts.removeAll { $0.upload.place.message == message }
            default: files = try open()
            }
            for (place, bytes) in held.values.joined() { #expect(try self.bytes(at: place, files) == bytes) }
            for part in parts { #expect(try self.bytes(at: part.upload.place, files) == nil) }
        }
    }

    @Test func otherBytesThanAnnouncedAreNotKept() throws {
        let files = try open()
        let message = MessageID.random()
        let upload = try upload([1, 2, 3], for: message)

        #expect(throws: FileRefusal.self) { try write([1, 2, 4], of: upload, files) }

        #expect(try files.count(of: upload) == 0 && files.open(upload.place) == nil)
        #expect(try write([1, 2, 3], of: upload, files) == 3, "from the beginning")
        #expect(try bytes(at: upload.place, files) == [1, 2, 3])
    }

    /// A server that ends before it has checked a file checks it when the last byte comes again.
    @Test(arguments: [UInt8(3), 4])
    func aFileOfWhichAllHasComeIsNotWholeYet(last: UInt8) throws {
        let (files, next) = (try open(), try open())
        let upload = try upload([1, 2, 3])
        do {
            let file = try files.begin(upload, at: 0)
            #expect(pwrite(file.descriptor, [1, 2, last], 3, 0) == 3)
            #expect(throws: FileRefusal.isWritten, "the first server is still there") { try next.begin(upload, at: 2) }
        }

        #expect(try !next.isWhole(upload) && next.count(of: upload) == 2)
        if last == 3 {
            #expect(try write([0, 0, last].dropFirst(2), of: upload, next) == 3)
        } else {
            #expect(throws: FileRefusal.self) { try write([0, 0, last].dropFirst(2), of: upload, next) }
        }
        #expect(try next.isWhole(upload) == (last == 3))
    }

    @Test func twoRequestsDoNotWriteOneFileAtOnce() throws {
        let (files, others) = (try open(), try open())
        let upload = try upload([1, 2, 3])
        do {
            let file = try files.begin(upload, at: 0)
            #expect(throws: FileRefusal.isWritten) { try files.begin(upload, at: 0) }
            #expect(throws: FileRefusal.isWritten) { try others.begin(upload, at: 0) }
            files.end(upload, file)
        }
        #expect(try write([1, 2, 3], of: upload, others) == 3)
    }

    /// A file goes when its message goes; one that no message has had for a day goes then, and not before.
    @Test func aSweepKeepsWhatMessagesHave() throws {
        let files = try open()
        let (sent, forgotten) = (try upload([1]), try upload([2]))
        let aside = try upload([3], for: sent.place.message)
        let broken = try upload([4, 5])
        for (upload, bytes) in [(sent, [1]), (forgotten, [2]), (aside, [3])] as [(Upload, [UInt8])] {
            try write(bytes[...], of: upload, files)
        }
        try write([4], of: broken, files)
        let start = Milliseconds(Date.now.timeIntervalSince1970 * 1_000)
        let kept: (MessageID, RoomName) -> Set<FileID>? = { message, _ in
            message == sent.place.message ? [sent.place.id] : []
        }
        let later = start + 2 * FileTickets.sendTime

        #expect(try files.sweep(at: later) { _, _ in nil } == 0, "the store does not answer")
        #expect(try files.sweep(at: later, kept) == 0, "this is the first time that they have no message")
        #expect(try files.sweep(at: start + FileTickets.sendTime, kept) == 0, "their messages may still come")
        #expect(try files.open(forgotten.place) != nil)
        #expect(try files.sweep(at: later, kept) == 3)

        #expect(try files.open(sent.place) != nil)
        for upload in [forgotten, aside, broken] {
            #expect(try files.open(upload.place) == nil && files.count(of: upload) == 0)
        }
    }

    /// A server that is started with other data finds no messages. With the right data again nothing is lost.
    @Test func otherDataForAWhileLosesNothing() throws {
        let files = try open()
        let sent = try upload([1])
        try write([1], of: sent, files)
        let later = Milliseconds(Date.now.timeIntervalSince1970 * 1_000) + 2 * FileTickets.sendTime

        for _ in 0..<3 {
            #expect(try files.sweep(at: later) { _, _ in [] } == 0)
            #expect(try files.sweep(at: later) { _, _ in [sent.place.id] } == 0)
        }

        #expect(try files.sweep(at: later) { _, _ in [] } == 0, "it begins anew")
        #expect(try files.open(sent.place) != nil)
    }

    @Test func aPersonAndARoomHaveNoMoreThanTheyMay() throws {
        var limits = FileLimits()
        (limits.user, limits.room) = (5, 8)
        let files = try open(limits)
        let first = try upload([1, 2, 3])
        try write([1, 2, 3], of: first, files)
        let second = try upload([1, 2, 3])

        #expect(throws: FileRefusal.tooMuch(.user(UserName("ann")!), most: 5)) {
            try write([1, 2, 3], of: second, files)
        }
        try write([1, 2, 3], of: try upload([1, 2, 3], by: "bob"), files)
        #expect(throws: FileRefusal.tooMuch(.room(RoomName("lobby")!), most: 8)) {
            try write([1, 2, 3], of: try upload([1, 2, 3], by: "cid"), files)
        }
        try write([1, 2, 3], of: try upload([1, 2, 3], in: "attic", by: "cid"), files)
        try files.removeFiles(of: first.place.message, in: first.place.room)
        try write([1, 2, 3], of: second, files)
        for _ in 0..<2 { try files.removeFiles(of: second.place.message, in: second.place.room) }
        #expect(try files.sweep(at: 0) { _, _ in nil } == 0)
        try write([1, 2, 3], of: try upload([1, 2, 3]), files)
        #expect(throws: FileRefusal.tooMuch(.user(UserName("ann")!), most: 5)) {
            try write([1, 2, 3], of: try upload([1, 2, 3]), files)
        }
    }

    /// What broke off counts with what has come of it, and what was refused not at all.
    @Test func anUploadThatBreaksOffLeavesRoomForOthers() throws {
        var limits = FileLimits()
        limits.user = 5
        let files = try open(limits)
        for _ in 0..<3 {
            let upload = try upload([1, 2, 3])
            #expect(throws: FileRefusal.self) { try write([1, 2, 4], of: upload, files) }
        }
        for _ in 0..<2 {
            let upload = try upload([1, 2, 3])
            files.end(upload, try files.begin(upload, at: 0))
        }
        try write([1], of: try upload([1, 2, 3, 4, 5]), files)

        try write([1, 2, 3], of: try upload([1, 2, 3]), files)

        #expect(throws: FileRefusal.tooMuch(.user(UserName("ann")!), most: 5)) {
            try write([1, 2], of: try upload([1, 2]), files)
        }
    }

    @Test func serversThatShareAFolderShareItsKey() throws {
        let request = LinksRequest(room: RoomName("lobby")!, files: [FilePlace(message: .random(), file: .random())])

        #expect(try open().tickets.links(request, at: now) == open().tickets.links(request, at: now))
    }

    @Test func aFolderThatCannotBeMadeIsReported() throws {
        try Data().write(to: URL(fileURLWithPath: folder.file("files")))

        let fault = #expect(throws: FileFault.self) { try open() }

        #expect(fault?.description.contains("files/rooms") == true)
    }
}
