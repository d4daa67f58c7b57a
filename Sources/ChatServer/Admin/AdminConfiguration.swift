package import ChatWire
package import RoomStore
package import Tokens

/// Who may run the server over HTTP, and what is done with its process and its data then.
package struct AdminConfiguration: Sendable {
    /// Whoever shows it may do everything.
    package let token: SecretFile
    /// Begins to end the program without losing anything; returns at once.
    package let drain: @Sendable () -> Void
    /// Copies the data; `nil` where that is not set up.
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
