import FoundationEssentials
import Locking

/// The content of a file that can be read again while it is in use.
final class ReloadableFile<Content: Sendable>: Sendable {
    typealias Reader = @Sendable (_ path: String) throws(KeyFileError) -> Content

    private let path: String
    private let read: Reader
    private let content: Guarded<Content>

    /// - Errors: those of `read`.
    init(path: String, _ read: @escaping Reader) throws(KeyFileError) {
        self.path = path
        self.read = read
        content = Guarded(try read(path))
    }

    /// The content at the last reading.
    var latest: Content { content.withLock { $0 } }

    /// Reads the file again. If that fails, the content stays as it is.
    func reload() throws(KeyFileError) {
        let fresh = try read(path)
        content.withLock { $0 = fresh }
    }
}

/// Returns the bytes of a small file.
func readBytes(of path: String) throws(KeyFileError) -> [UInt8] {
    do {
        return [UInt8](try Data(contentsOf: URL(filePath: path)))
    } catch {
        throw KeyFileError(path: path, problem: "cannot be read: check that it exists and that this user may read it")
    }
}
