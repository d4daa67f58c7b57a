/// What a backup is to be called.
///
/// - Shape: 1 to 64 of `a-z A-Z 0-9 . _ -`, without a dot in front: it names a file of a folder, and nothing outside.
package struct BackupName: Hashable, Sendable, LosslessStringConvertible {
    package let description: String

    /// `nil` unless `text` has the shape.
    package init?(_ text: String) {
        guard !text.hasPrefix("."), let name = RoomName(text) else { return nil }
        description = name.description
    }
}

extension BackupName: WireName {
    static var shape: String { "1 to 64 of a-z A-Z 0-9 . _ -, without a dot in front" }
}

/// That an operator wants a backup; an empty body will do.
package struct BackupOrder: Equatable, Sendable {
    /// `nil`: named after the time.
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
