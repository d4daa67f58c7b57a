import ChatWire
import Foundation
import TerminalUI
import Tokens

/// A file of the user's that is open for an upload. It is closed when the last reference goes.
final class LocalFile: Sendable {
    let descriptor: Int32
    /// The name without its folders.
    let name: String
    /// In bytes, from 1.
    let size: Int

    /// - Throws: the reason why it cannot be sent, for a person to read.
    init(_ path: String) throws(InputError) {
        name = path.split(separator: "/").last.map(String.init) ?? path
        let shown = name.inOneLine
        // A pipe without a writer would make this wait.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let error = FileError(number: errno)
            throw InputError(
                error.number == ENOENT || error.number == ENOTDIR
                    ? "no such file: \(path.inOneLine)" : "\(shown) cannot be read: \(error)")
        }
        self.descriptor = descriptor
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw InputError("\(shown) cannot be read: \(FileError(number: errno))")
        }
        size = Int(status.st_size)
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw InputError("\(shown) is a folder: pack it into one file first, as with zip -r")
        default: throw InputError("\(shown) is no file: it has no end that is known")
        }
        guard size > 0 else { throw InputError("\(shown) is empty") }
    }

    deinit {
        close(descriptor)
    }

    /// Reads the whole file, in pieces, for its checksum. Blocks the thread for a second for about a gigabyte.
    ///
    /// - Throws: the reason why it cannot be sent.
    func description() throws(InputError) -> FileDescription {
        guard let sha256 = Signer.sha256(ofFile: descriptor) else {
            throw InputError("\(name.inOneLine) cannot be read: \(FileError(number: errno))")
        }
        let media = MediaType.named(name)
        let file =
            FileDescription(name: name, media: media, size: size, sha256: sha256)
            ?? FileDescription(name: name.acceptable, media: media, size: size, sha256: sha256)
        guard let file else {
            throw InputError("\(name.inOneLine) has a name that no message can have: rename the file")
        }
        return file
    }
}

extension String {
    /// The name of a file with `_` for each character that a name in a message cannot have.
    fileprivate var acceptable: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: "_"
                    default: scalar == "\\" ? "_" : scalar
                    }
                }))
    }
}

/// The types of files by the ends of their names.
enum MediaType {
    /// Returns the type of a file that is called so.
    static func named(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return unknown }
        return byExtension[name[dot...].dropFirst().lowercased()] ?? unknown
    }

    private static let unknown = "application/octet-stream"

    private static let byExtension: [String: String] = [
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
        "avif": "image/avif", "svg": "image/svg+xml",
        "mp4": "video/mp4", "m4v": "video/mp4", "webm": "video/webm", "mov": "video/quicktime",
        "mp3": "audio/mpeg", "ogg": "audio/ogg", "oga": "audio/ogg", "opus": "audio/ogg", "wav": "audio/wav",
        "m4a": "audio/mp4", "flac": "audio/flac",
        "pdf": "application/pdf", "txt": "text/plain", "log": "text/plain", "md": "text/markdown", "csv": "text/csv",
        "html": "text/html", "json": "application/json", "xml": "application/xml",
        "zip": "application/zip", "gz": "application/gzip", "tgz": "application/gzip", "tar": "application/x-tar",
        "7z": "application/x-7z-compressed",
    ]
}
