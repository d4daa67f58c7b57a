import CSQLite
import Foundation
import Locking
import RoomStore
import SQLiteStore
import TestSupport
import Testing

/// Unusable data is refused with its reason and its remedy, and is left unchanged.
struct OpeningTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("rooms.db") }

    private func refusal(of path: String) -> RoomStoreError? {
        #expect(throws: RoomStoreError.self) { try SQLiteStore(path: path) }
    }

    // MARK: - Locks

    @Test func aSecondStoreOnTheSameDataIsRefusedAndToldWhoHasIt() throws {
        let first = try SQLiteStore(path: path)

        #expect(
            refusal(of: path)
                == .inUse("\(path) is served by process \(getpid()): stop it, or choose another --data"))
        withExtendedLifetime(first) {}
    }

    @Test func aSecondStoreIsRefusedUnderAnotherNameToo() throws {
        let first = try SQLiteStore(path: path)
        try FileManager.default.createSymbolicLink(atPath: folder.file("alias.db"), withDestinationPath: path)

        #expect(refusal(of: folder.file("alias.db"))?.isInUse == true)
        withExtendedLifetime(first) {}
    }

    @Test func theLockFileOfAProcessThatIsGoneLocksNothing() throws {
        try Data("1\n".utf8).write(to: URL(filePath: path + ".lock"))

        #expect(throws: Never.self) { try SQLiteStore(path: path) }
    }

    @Test func aStoreThatIsLetGoLetsTheDataGo() throws {
        _ = try SQLiteStore(path: path)

        #expect(throws: Never.self) { try SQLiteStore(path: path) }
    }

    @Test func aRemovedLockFileLetsNobodyIn() throws {
        let first = try SQLiteStore(path: path)
        try FileManager.default.removeItem(atPath: path + ".lock")

        #expect(refusal(of: path)?.isInUse == true)
        #expect(try Fixture("open", path).lines().first?.contains("is served by another process") == true)
        withExtendedLifetime(first) {}
    }

    @Test func aHardLinkLetsNobodyIn() throws {
        let first = try SQLiteStore(path: path)
        try FileManager.default.linkItem(atPath: path, toPath: folder.file("alias.db"))

        #expect(refusal(of: folder.file("alias.db"))?.isInUse == true)
        #expect(try Fixture("open", folder.file("alias.db")).lines().first?.contains("under another name") == true)
        // The other store's attempt must not have ended SQLite's own locks.
        #expect(throws: Never.self) { try first.commit([.send(1)]) }
    }

    @Test func onlyItsOwnerMayReadTheData() throws {
        try Data().write(to: URL(filePath: path))
        chmod(path, 0o644)
        let reports = Guarded<[String]>([])

        let store = try SQLiteStore(path: path) { text in reports.withLock { $0.append(text) } }
        _ = try store.commit([.send(1)])

        for suffix in ["", "-wal", "-shm", ".lock", ".control"] {
            let mode = try FileManager.default.attributesOfItem(atPath: path + suffix)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(suffix)")
        }
        #expect(reports.withLock { $0.first?.contains("could be read by other users") } == true)
    }

    @Test func aLogWithoutItsDataIsLeftAlone() throws {
        try leaveALog()
        for data in [nil, Data()] as [Data?] {
            try? FileManager.default.removeItem(atPath: path)
            try data?.write(to: URL(filePath: path))

            #expect(refusal(of: path)?.description.contains("put the file back that the log belongs to") == true)
            #expect(try Data(contentsOf: URL(filePath: path + "-wal")).count > 4_096)
        }
    }

    /// Leaves a log as a killed server does.
    private func leaveALog() throws {
        let fixture = try Fixture("commit", path, "1")
        _ = fixture.line()
        fixture.kill()
        _ = fixture.lines()
    }

    // MARK: - Other files

    @Test func aTextFileIsNoStore() throws {
        try Data(repeating: UInt8(ascii: "x"), count: 5_000).write(to: URL(filePath: path))

        #expect(
            refusal(of: path)
                == .notAStore("\(path) is no data of diffroomd (file is not a database): choose another --data"))
    }

    @Test func aFolderIsNoStore() {
        #expect(refusal(of: folder.path) == .notAStore("\(folder.path) is a folder: choose another --data"))
    }

    @Test func anotherProgramsDatabaseIsNoStoreAndStaysAsItIs() throws {
        try database("CREATE TABLE songs(title)")
        let before = try Data(contentsOf: URL(filePath: path))

        #expect(refusal(of: path) == .notAStore("\(path) is the database of another program: choose another --data"))
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test func aFileOfALaterVersionIsRefused() throws {
        _ = try SQLiteStore(path: path)
        try database("PRAGMA user_version = 99")

        let refusal = refusal(of: path)

        #expect(refusal == .newer(found: 99, supported: 30))
        #expect(refusal?.description.contains("format 99, which a later version wrote") == true)
    }

    @Test func anEmptyFileBecomesAStore() throws {
        try Data().write(to: URL(filePath: path))

        #expect(throws: Never.self) { try SQLiteStore(path: path) }
    }

    @Test func aMissingFolderIsNamed() {
        let path = folder.file("missing/rooms.db")

        #expect(
            refusal(of: path)
                == .unavailable("\(path): its folder is not there: make it, or choose another --data"))
    }

    // MARK: - Without permission to write

    @Test func aFolderThatMayNotBeWrittenIsRefused() throws {
        _ = try SQLiteStore(path: path)
        try Data().write(to: URL(filePath: path + ".lock"))

        let refusal = asNobody(folder, mode: 0o555) { self.refusal(of: path) }

        #expect(refusal?.isReadOnly == true, "\(refusal.debugDescription)")
    }

    @Test func aFileThatMayNotBeWrittenIsRefused() throws {
        _ = try SQLiteStore(path: path)
        try FileManager.default.removeItem(atPath: path + ".lock")
        chmod(path, 0o644)

        let refusal = asNobody(folder, mode: 0o777) { self.refusal(of: path) }

        #expect(
            refusal
                == .readOnly(
                    "\(path) cannot be written (it may only be read): let the user who runs this write it and its "
                        + "folder, or choose another --data"))
    }

    /// Runs SQL on the file from outside.
    private func database(_ sql: String) throws {
        var handle: OpaquePointer?
        try #require(sqlite3_open(path, &handle) == SQLITE_OK)
        defer { sqlite3_close(handle) }
        try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
    }

    /// Runs `body` as a user who does not own the folder. Permissions do not bind root, so only this thread gives up
    /// root for its access to files.
    private func asNobody<Result>(_ folder: TemporaryFolder, mode: mode_t, _ body: () -> Result) -> Result {
        chmod(folder.path, mode)
        defer { chmod(folder.path, 0o755) }
        let before = setFileSystemUser(65_534)
        defer { _ = setFileSystemUser(uid_t(before)) }
        return body()
    }

    /// Calls setfsuid(2), which the C library's module does not export, for the calling thread. Returns the old user.
    private func setFileSystemUser(_ user: uid_t) -> CInt {
        typealias Function = @convention(c) (uid_t) -> CInt
        return unsafeBitCast(dlsym(nil, "setfsuid"), to: Function.self)(user)
    }
}

extension RoomStoreError {
    var isInUse: Bool { if case .inUse = self { true } else { false } }
    var isReadOnly: Bool { if case .readOnly = self { true } else { false } }
    var isFull: Bool { if case .full = self { true } else { false } }
    var isDamaged: Bool {
        switch self {
        case .damaged, .damagedRoom: true
        default: false
        }
    }
}
