import Foundation

/// A folder that exists as long as this value. It is in memory where possible, because a test of correctness need not
/// wait for a disk's synchronisation.
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
