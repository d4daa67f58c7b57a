import Foundation

/// The sources of the product, for laws about all of them.
package enum SourceFiles {
    /// Returns the path and the text of each Swift file of some targets.
    package static func swift(in targets: [String]) throws -> [(path: String, text: String)] {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        return try targets.flatMap { target in
            let folder = sources.appending(path: target)
            let paths = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) ?? NSEnumerator()
            return try paths.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map {
                (path: $0.path, text: try String(contentsOf: $0, encoding: .utf8))
            }
        }
    }
}
