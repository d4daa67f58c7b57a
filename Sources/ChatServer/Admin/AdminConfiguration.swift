package import ChatWire
package import RoomStore
package import Tokens

/// The settings of the admin API: its token, and its access to the process and the data.
package struct AdminConfiguration: Sendable {
    /// The token that grants access to the whole API.
    package let token: SecretFile
    /// Begins to end the program without losing anything, and returns at once.
    package let drain: @Sendable () -> Void
    /// Copies the data; `nil` where no backup folder is set.
    package let backup: (@Sendable (BackupName?) -> Result<Backup, RoomStoreError>)?

    package init(
        token: SecretFile, drain: @escaping @Sendable () -> Void,
        backup: (@Sendable (BackupName?) -> Result<Backup, RoomStoreError>)? = nil
    ) {
        self.token = token
        self.drain = drain
        self.backup = backup
    }
}

/// A copy of the data.
package struct Backup: Equatable, Sendable {
    package let file: String
    package let bytes: Int

    package init(file: String, bytes: Int) {
        self.file = file
        self.bytes = bytes
    }
}
