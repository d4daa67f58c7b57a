import Foundation

extension FileHandle {
    /// Opens a file of the user's own, to add to its end. Several programs may add to it at once.
    ///
    /// - Parameter isEmptied: true to begin with an empty file.
    /// - Throws: the reason why the file cannot be opened or made.
    convenience init(appendingTo path: String, isEmptied: Bool = false) throws(FileError) {
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | (isEmptied ? O_TRUNC : 0)
        let descriptor = unsafe open(path, flags, 0o600)
        guard descriptor >= 0 else { throw FileError(number: errno) }
        self.init(fileDescriptor: descriptor, closeOnDealloc: true)
    }
}

/// The reason why a file cannot be used.
struct FileError: Error, CustomStringConvertible {
    /// The system's number.
    let number: Int32

    var description: String { unsafe String(cString: strerror(number)) }
}
