import ChatServer
import CommandLineFlags
import Tokens

/// The options of the webhook.
struct WebhookOptions: Equatable {
    private let url: String
    /// The path of the secret's file.
    let secret: String

    /// `nil` for no webhook.
    init?(_ values: FlagValues) throws(FlagError) {
        // Without it the settings are refused, but the file is checked all the same.
        url = values["webhook"] ?? ""
        guard url.isEmpty || WebhookConfiguration.accepts(url) else {
            throw .badValue("webhook", url, "must be an address like https://chat.example/hook, with https or http")
        }
        guard let secret = values["webhook-secret-file"] else { return nil }
        self.secret = secret
    }

    func check() throws(FlagError) {
        do throws(KeyFileError) {
            _ = try configuration()
        } catch {
            throw .badValue("webhook-secret-file", secret, error.problem)
        }
    }

    /// - Errors: the fault of the file.
    func configuration() throws(KeyFileError) -> WebhookConfiguration {
        WebhookConfiguration(url: url, secret: try WebhookSecret(path: secret))
    }
}
