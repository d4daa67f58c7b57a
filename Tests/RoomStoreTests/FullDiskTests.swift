import TestSupport
import Testing

/// A full disk loses nothing committed, and once there is room again, the store goes on without a restart.
struct FullDiskTests {
    private let folder = TemporaryFolder()

    @Test func aFileThatMayNotGrowIsAFullDisk() throws {
        let lines = try Fixture("full", folder.file("rooms.db")).lines()

        #expect(lines.first?.hasPrefix("failed no more room for \(folder.path)") == true)
        #expect(lines.dropFirst() == ["kept true", "went on true"])
    }

    /// The commits stand, because they are in the log.
    @Test func aLogThatCannotBeCopiedIsToldAndNothingIsLost() throws {
        let lines = try Fixture("outgrow", folder.file("rooms.db")).lines()

        #expect(lines.first?.hasPrefix("told no more room for \(folder.path)") == true, "\(lines)")
        #expect(lines.dropFirst() == ["kept true"])
    }

    @Test(.enabled("needs a mount namespace") { try Fixture.failure(of: "unshare", "-m", "true") == nil })
    func aFullDiskIsAFullDisk() throws {
        let mount = "mount -t tmpfs -o size=2m tmpfs \(folder.path) && exec \"$0\" \"$@\""
        let lines = try Fixture(before: ["unshare", "-m", "sh", "-c", mount], "disk", folder.file("rooms.db")).lines()

        #expect(lines.first?.hasPrefix("failed no more room for \(folder.path)") == true)
        #expect(lines.dropFirst() == ["kept true", "went on true"])
    }
}
