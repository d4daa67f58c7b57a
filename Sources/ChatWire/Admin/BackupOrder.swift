/// The name of a backup.
///
/// - Shape: 1 to 64 of `a-z A-Z 0-9 . _ -`, and no dot in front: the name can only be a file inside the backup folder.
package struct BackupName: Hashable, Sendable, LosslessStringConvertible {
    package let description: String

    /// `nil` unless `text` has the shape.
    package init?(_ text: String) {
        guard !text.hasPrefix("."), let name = RoomName(text), name.kind == .open else { return nil }
        description = name.description
    }
}

extension BackupName: WireName {
    static var shape: String { "1 to 64 of a-z A-Z 0-9 . _ -, without a dot in front" }
}

/// An operator's request for a backup. The body may be empty.
package struct BackupOrder: Equatable, Sendable {
    /// `nil`: the server names the backup after the time.
    package let name: BackupName?

    package init(json: [UInt8]) throws(WireError) {
        guard !json.isEmpty else {
            name = nil
            return
        }
        let fields = try Fields(body: json)
        name = try fields.optional("name") == nil ? nil : fields.name("name")
    }
}
