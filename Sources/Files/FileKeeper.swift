package import ChatWire

/// A place for the files of messages: a ``FileFolder`` or a ``FileBucket``.
///
/// Only ``permit(_:by:at:)`` and the properties answer at once; the other functions wait for a disk or the network. Any thread
/// may call them.
package protocol FileKeeper: Sendable {
    var tickets: FileTickets { get }
    /// Where the bytes of uploads go.
    var target: UploadTarget { get }
    /// The origin from which a page loads files besides its own; `nil` for none.
    var origin: String? { get }

    /// Allows an upload.
    ///
    /// - Throws: ``FileRefusal`` if the person or the room would have too much.
    func permit(_ request: UploadRequest, by user: UserName, at time: Milliseconds) throws(FileRefusal) -> UploadPermit

    /// Finds a whole file; `nil` if there is none.
    func find(_ place: StoredFile.Place, for use: FileUse, at time: Milliseconds) throws(FileFault) -> KeptFile?

    /// Returns the fault of a file that a message names; `nil` if there is none.
    func fault(of file: Attachment, of message: MessageID, in room: RoomName) throws(FileFault) -> String?

    /// Removes the files of a message that was deleted.
    func removeFiles(of message: MessageID, in room: RoomName) throws(FileFault)

    /// Looks at all files: counts them anew, and removes those that no message has had for a day.
    ///
    /// - Parameter kept: the files that a message has, none for a message that is not there; `nil` if that is not known now.
    /// - Returns: the number of files that were removed.
    func sweep(at time: Milliseconds, _ kept: (MessageID, RoomName) -> Set<FileID>?) throws(FileFault) -> Int
}

/// Where the bytes of uploads go.
package enum UploadTarget: Sendable {
    /// To this server, which writes them into the folder.
    case folder(FileFolder)
    /// To the store, and this server checks what is there.
    case bucket(FileBucket)
}

/// A whole file, and where its bytes are.
package enum KeptFile: Sendable {
    case here(StoredFile, DiskFile)
    /// At a URL, which works for some seconds from now at least.
    case elsewhere(StoredFile, url: String, seconds: Int)
}

/// The use that a download is for.
package enum FileUse: Sendable {
    /// A browser draws the file if that is safe.
    case show
    /// A browser saves the file.
    case save
}

extension StoredFile {
    /// Types that a browser draws by itself and that hold no script. All else is saved.
    private static let drawn: Set = [
        "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "video/mp4", "video/webm", "audio/mpeg",
        "audio/ogg", "audio/wav", "audio/mp4", "audio/webm",
    ]

    /// The type and the disposition with which a file is sent.
    package func presentation(for use: FileUse) -> [(name: String, value: String)] {
        let isDrawn = Self.drawn.contains(file.media) && use == .show
        // RFC 8187 has a `~` in its attr-char, too.
        let disposition = "\(isDrawn ? "inline" : "attachment"); filename*=UTF-8''\(file.name.percentEncoded)"
        return [
            ("content-type", isDrawn ? file.media : "application/octet-stream"), ("content-disposition", disposition),
        ]
    }
}
