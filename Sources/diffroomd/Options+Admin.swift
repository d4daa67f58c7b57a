import ChatServer
import CommandLineFlags
import Tokens

/// What is said of the admin API.
struct AdminOptions: Equatable {
    /// Of the file with the token.
    let token: String

    /// `nil` for a server without it.
    init?(_ values: FlagValues) {
        guard let token = values["admin-token-file"] else { return nil }
        self.token = token
    }

    func check() throws(FlagError) {
        do throws(KeyFileError) {
            _ = try SecretFile(path: token)
        } catch {
            throw .badValue("admin-token-file", token, error.problem)
        }
    }

    /// - Errors: what is wrong with the file.
    func configuration() throws(KeyFileError) -> AdminConfiguration {
        AdminConfiguration(token: try SecretFile(path: token))
    }
}
