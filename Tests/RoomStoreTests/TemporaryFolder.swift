import Foundation

/// A folder that is there as long as this value.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        let folder = FileManager.default.temporaryDirectory.appending(path: "diffroom-\(UUID())")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String) -> String {
        path + "/" + name
    }
}
