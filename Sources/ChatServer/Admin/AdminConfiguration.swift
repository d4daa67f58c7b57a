package import Tokens

/// Who may run the server over HTTP.
package struct AdminConfiguration: Sendable {
    /// Whoever shows it may do everything.
    package let token: SecretFile

    package init(token: SecretFile) {
        self.token = token
    }
}
