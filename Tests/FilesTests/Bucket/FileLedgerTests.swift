import ChatWire
import TestSupport
import Testing

@testable import Files

struct FileLedgerTests {
    private var limits: FileLimits {
        var limits = FileLimits()
        (limits.user, limits.room) = (50, 80)
        return limits
    }

    private func file(_ size: Int, by user: String = "ann", in room: String = "lobby") -> StoredFile {
        let place = StoredFile.Place(room: RoomName(room)!, message: .random(), id: .random())
        let file = FileDescription(name: "a", media: "a/b", size: size, sha256: String(repeating: "0", count: 64))!
        return StoredFile(place: place, user: UserName(user)!, file: file)
    }

    @Test func aPermitCountsUntilItsTimeIsOver() throws {
        var ledger = FileLedger()
        try ledger.permit(file(30), until: 1_000_000, at: 0, limits)

        #expect(throws: FileRefusal.tooMuch(.user(UserName("ann")!), most: 50)) {
            try ledger.permit(file(30), until: 1_000_000, at: 900_000, limits)
        }
        try ledger.permit(file(30), until: 3_000_000, at: 1_000_001, limits)
    }

    @Test func aConfirmedFileCountsOnce() throws {
        var ledger = FileLedger()
        let stored = file(30)
        try ledger.permit(stored, until: 1_000, at: 0, limits)
        for _ in 0..<3 { try ledger.confirm(stored, limits) }

        try ledger.permit(file(20), until: 1_000, at: 0, limits)
        #expect(throws: FileRefusal.self) { try ledger.permit(file(1), until: 1_000, at: 0, limits) }
    }

    /// The time of its permit was over when it came.
    @Test func aFileThatIsTooMuchIsNotConfirmed() throws {
        var ledger = FileLedger()
        try ledger.confirm(file(30), limits)

        #expect(throws: FileRefusal.self) { try ledger.confirm(file(30), limits) }
        try ledger.confirm(file(20), limits)
    }

    @Test func aPersonHasOnlySoManyPermits() throws {
        var ledger = FileLedger()
        for _ in 0..<FileLedger.mostPermits.user { try ledger.permit(file(1), until: 9, at: 0, FileLimits()) }

        #expect(throws: FileRefusal.tooManyUploads) { try ledger.permit(file(1), until: 9, at: 0, FileLimits()) }
        try ledger.permit(file(1, by: "bob"), until: 9, at: 0, FileLimits())
        try ledger.permit(file(1), until: 99_999, at: 70_000, FileLimits())
    }

    /// Against a naive model: the sum of all files and permits, whatever comes, goes, and is found by sweeps.
    @Test(arguments: UInt64(0)..<50)
    func theLedgerIsTheSumOfItsFiles(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var ledger = FileLedger()
        var (files, permits): ([StoredFile], [StoredFile]) = ([], [])
        var found: [StoredFile]?
        for _ in 0..<200 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                let new = file(Int.random(in: 1...30, using: &random))
                let fits = (files + permits).reduce(new.file.size) { $0 + $1.file.size } <= limits.user
                #expect((try? ledger.permit(new, until: .max, at: 0, limits)) == nil ? !fits : fits)
                if fits { permits.append(new) }
            case 2:
                guard let one = permits.popLast() else { continue }
                try ledger.confirm(one, limits)
                files.append(one)
            case 3:
                guard let index = files.indices.randomElement(using: &random) else { continue }
                ledger.remove(files.remove(at: index).place)
            case 4:
                ledger.beginSweep()
                found = files
            default:
                guard let seen = found else { continue }
                let sizes = seen.map { ($0.place, (user: $0.user, bytes: $0.file.size)) }
                ledger.replace(by: Dictionary(sizes, uniquingKeysWith: { $1 }))
                found = nil
            }
        }
    }
}
