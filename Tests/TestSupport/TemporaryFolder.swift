import Foundation

/// A folder that is there as long as this value; in memory where the system has such a place, since what a disk's
/// synchronisation costs is nothing that a test of correctness should wait for.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() {
        let memory = URL(filePath: "/dev/shm")
        let files = FileManager.default
        let parent = files.isWritableFile(atPath: memory.path) ? memory : files.temporaryDirectory
        let folder = parent.appending(path: "diffroom-\(UUID())")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    package func file(_ name: String) -> String {
        path + "/" + name
    }
}
