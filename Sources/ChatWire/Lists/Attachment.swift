/// The id of one file. The server makes it.
public typealias FileID = UniqueID

/// A file of a message.
///
/// ```swift
/// for file in message.content.files where file.isPicture { … }
/// ```
///
/// The server checks the name, type, size and checksum while the file is uploaded. The rest is what the author's client says.
public struct Attachment: Hashable, Sendable, Identifiable {
    /// The most files of one message.
    public static let most = 10
    /// The longest ``preview``, in bytes.
    public static let longestPreview = 2_048

    public let id: FileID
    public let file: FileDescription
    /// The size of a picture or a video, in pixels.
    public var dimensions: Dimensions?
    /// The length of a recording.
    public var duration: Milliseconds?
    /// A tiny picture for the time until the file has come: a JPEG or WebP in base64.
    public var preview: String?
    /// The server's signature that this file was uploaded for this message, as a sender must show it; `nil` in a row.
    public var proof: String?

    public struct Dimensions: Hashable, Sendable {
        public let width: Int
        public let height: Int

        public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
    }

    public init(
        id: FileID, _ file: FileDescription, dimensions: Dimensions? = nil, duration: Milliseconds? = nil,
        preview: String? = nil, proof: String? = nil
    ) {
        (self.id, self.file, self.dimensions) = (id, file, dimensions)
        (self.duration, self.preview, self.proof) = (duration, preview, proof)
    }

    public var name: String { file.name }
    public var isPicture: Bool { file.media.hasPrefix("image/") }

    /// The file as it stands in a row.
    package var withoutProof: Attachment {
        var file = self
        file.proof = nil
        return file
    }

    /// The bytes that it takes in a row, roughly.
    var bytes: Int { 200 + file.name.utf8.count + file.media.utf8.count + (preview?.utf8.count ?? 0) }
}

/// The facts of a file that are known before it is uploaded.
///
/// - Shape: see ``init(name:media:size:sha256:)``.
public struct FileDescription: Hashable, Sendable {
    /// The longest name, in bytes.
    public static let longestName = 255

    public let name: String
    /// The media type, such as `image/png`.
    public let media: String
    /// In bytes.
    public let size: Int
    /// SHA-256 of its bytes, as 64 hexadecimal digits.
    public let sha256: String

    /// Returns `nil` unless the name is 1 to ``longestName`` bytes, has something to see, no control character, no slash and
    /// is neither `.` nor `..`; the type is two words of RFC 6838 in lower case; the size is 1 or more; and the checksum is 64
    /// digits in lower case.
    public init?(name: String, media: String, size: Int, sha256: String) {
        guard Self.isName(name), Self.isMediaType(media), size > 0, Self.isChecksum(sha256) else { return nil }
        (self.name, self.media, self.size, self.sha256) = (name, media, size, sha256)
    }

    static func isName(_ name: String) -> Bool {
        (1...longestName).contains(name.utf8.count) && name != "." && name != ".." && name.hasSomethingToSee
            && name.unicodeScalars.allSatisfy { $0 != "/" && $0 != "\\" && !$0.mayMisleadInName }
    }

    static func isMediaType(_ media: String) -> Bool {
        let words = media.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return words.count == 2 && media.utf8.count <= 127
            && words.allSatisfy { word in
                !word.isEmpty
                    && word.allSatisfy { byte in
                        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                            || "!#$&^_.+-".utf8.contains(byte)
                    }
            }
    }

    static func isChecksum(_ digits: String) -> Bool {
        digits.utf8.count == 64
            && digits.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
    }
}

extension Unicode.Scalar {
    /// Control characters, line breaks, and the marks that turn the direction of what follows: `cat\u{202E}gnp.exe` would read
    /// as a picture's name.
    fileprivate var mayMisleadInName: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
        }
    }
}
