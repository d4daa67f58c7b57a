package import ChatWire
import JSON
package import Tokens

/// The statements about files that a server signs: which upload it has allowed, which file was uploaded for which message, and
/// which file a link leads to. So a file needs no row in the store, and any server with the key answers for all of them.
package struct FileTickets: Sendable {
    /// The time for an upload, in which it may also be resumed.
    package static let uploadTime = 12 * 3_600_000 as Milliseconds
    /// The time from the permit of an upload in which the message must be sent. A file without a message is kept longer.
    package static let sendTime = 24 * 3_600_000 as Milliseconds
    /// A link works for one to two times this, and is the same for all who ask within it, so that browsers may cache it.
    package static let linkTime = 1_800_000 as Milliseconds

    package static let uploadPath = "/api/uploads/"
    package static let filePath = "/api/files/"

    private let signer: Signer

    package init(_ signer: Signer) { self.signer = signer }

    // MARK: - Uploads

    package func permit(_ request: UploadRequest, by user: UserName, at time: Milliseconds) -> UploadPermit {
        let (upload, path) = upload(request, by: user, at: time)
        return UploadPermit(file: upload.place.id, url: path, until: upload.until)
    }

    /// The upload that a request allows, and the path that names it.
    func upload(_ request: UploadRequest, by user: UserName, at time: Milliseconds) -> (upload: Upload, path: String) {
        let until = time + Self.uploadTime
        let upload = Upload(
            place: StoredFile.Place(room: request.room, message: request.message, id: .random(at: time)), user: user,
            file: request.file, until: until)
        let ticket = signer.ticket(Self.claims("upload") { upload.write(to: &$0) })
        return (upload, Self.uploadPath + ticket)
    }

    /// The upload that the path of a request names.
    ///
    /// - Throws: `link` if it was not allowed by this server, or has ended.
    package func upload(at path: String, at time: Milliseconds) throws(WireError) -> Upload {
        let claims = try claims("upload", of: path.dropFirst(Self.uploadPath.count))
        let upload = try Upload(claims)
        guard upload.until >= time else { throw .uploadHasEnded }
        return upload
    }

    /// The answer to a whole upload: the file as its message is to name it.
    package func proof(of upload: Upload) -> Attachment {
        let statement = Self.statement(upload.place, upload.user, upload.file)
        return Attachment(id: upload.place.id, upload.file, proof: signer.signature(of: statement))
    }

    /// Returns the content of a message as it is to be stored: its files were uploaded for it by its author.
    ///
    /// - Throws: `no_file` where one was not.
    package func checked(
        _ content: MessageContent, of message: MessageID, in room: RoomName, by user: UserName, at time: Milliseconds
    ) throws(WireError) -> MessageContent {
        for (index, file) in content.files.enumerated() {
            let place = StoredFile.Place(room: room, message: message, id: file.id)
            let statement = Self.statement(place, user, file.file)
            guard let proof = file.proof, signer.isSignature(proof.utf8, of: statement) else {
                throw .notUploaded(index)
            }
            guard file.id.time + Self.sendTime >= time else { throw .tooLate(index) }
        }
        return content.withoutProofs
    }

    private static func statement(_ place: StoredFile.Place, _ user: UserName, _ file: FileDescription) -> [UInt8] {
        claims("file") { json in
            place.write(to: &json)
            json.string("user", user.description)
            file.write(to: &json)
        }
    }

    // MARK: - Links

    package func links(_ request: LinksRequest, at time: Milliseconds) -> FileLinks {
        let until = (time / Self.linkTime + 2) * Self.linkTime
        let urls = request.files.map { place in
            let ticket = signer.ticket(
                Self.claims("link") { json in
                    StoredFile.Place(room: request.room, message: place.message, id: place.file).write(to: &json)
                    json.number("until", until)
                })
            return Self.filePath + ticket
        }
        return FileLinks(urls: urls, until: until)
    }

    /// The file that the path of a request names, and until when.
    ///
    /// - Throws: `link` if this server has not made the link, or if it has ended.
    package func link(
        at path: String, at time: Milliseconds
    ) throws(WireError) -> (place: StoredFile.Place, until: Milliseconds) {
        let claims = try claims("link", of: path.dropFirst(Self.filePath.count))
        let (place, until) = (try StoredFile.Place(claims), try claims.milliseconds("until"))
        guard until >= time else { throw .linkHasEnded }
        return (place, until)
    }

    // MARK: - Claims

    /// - Parameter purpose: so that no signature for one purpose serves another.
    private static func claims(_ purpose: String, _ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.string("for", purpose)
            write(&json)
        }
        return json.bytes
    }

    private func claims(_ purpose: String, of ticket: Substring) throws(WireError) -> Fields {
        guard let claims = signer.claims(of: ticket) else { throw .notOurs }
        let fields = try Fields(body: claims)
        guard try fields.text("for") == purpose else { throw .notOurs }
        return fields
    }
}

/// An upload that a server has allowed.
package struct Upload: Equatable, Sendable {
    package let place: StoredFile.Place
    package let user: UserName
    package let file: FileDescription
    package let until: Milliseconds

    package init(place: StoredFile.Place, user: UserName, file: FileDescription, until: Milliseconds) {
        (self.place, self.user, self.file, self.until) = (place, user, file, until)
    }

    package var stored: StoredFile { StoredFile(place: place, user: user, file: file) }

    fileprivate func write(to json: inout JSONWriter) {
        place.write(to: &json)
        json.string("user", user.description)
        file.write(to: &json)
        json.number("until", until)
    }

    fileprivate init(_ fields: Fields) throws(WireError) {
        self.init(
            place: try StoredFile.Place(fields), user: try fields.user("user", .known),
            file: try FileDescription(fields), until: try fields.milliseconds("until"))
    }
}

extension UniqueID {
    /// Makes a UUID of version 7, which tells when it was made.
    ///
    /// - Source: RFC 9562, section 5.7.
    fileprivate static func random(at time: Milliseconds) -> UniqueID {
        let random = UniqueID.random()
        return UniqueID(high: UInt64(time) << 16 | 0x7000 | random.high & 0xFFF, low: random.low)
    }

    /// The time at which a UUID of version 7 was made.
    fileprivate var time: Milliseconds { Milliseconds(high >> 16) }
}

extension WireError {
    fileprivate static let notOurs = WireError(
        .link, "this address is not one that the server has given out: was it copied whole?")
    fileprivate static let uploadHasEnded = WireError(
        .link, "the time for this upload is over: begin it again by `upload`")
    fileprivate static let linkHasEnded = WireError(.link, "this link has ended: request another by `links`")

    fileprivate static func notUploaded(_ index: Int) -> WireError {
        WireError(
            .noFile,
            "files[\(index)]: was not uploaded for this message by its author: send it as the upload was answered",
            field: "files[\(index)]")
    }

    fileprivate static func tooLate(_ index: Int) -> WireError {
        WireError(
            .noFile, "files[\(index)]: was uploaded more than a day ago and is gone: upload it again",
            field: "files[\(index)]")
    }
}
