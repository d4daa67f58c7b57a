import ChatServer
import CommandLineFlags
import Tokens

/// The options of the webhook.
struct WebhookOptions: Equatable {
    private let url: String
    /// The path of the secret's file.
    private let secret: String

    /// `nil` for no webhook.
    init?(_ values: FlagValues) throws(FlagError) {
        switch (values["webhook"], values["webhook-secret-file"]) {
        case (nil, nil): return nil
        case (nil, let file?):
            throw .badValue("webhook-secret-file", file, "needs somebody to tell: --webhook URL")
        case (let url?, nil):
            throw .badValue("webhook", url, "needs a secret to sign with: --webhook-secret-file FILE")
        case (let url?, let file?):
            guard url.wholeMatch(of: /https?:\/\/[^\/\s]+(\/\S*)?/) != nil else {
                throw .badValue("webhook", url, "must be an address that begins with https:// or http://")
            }
            self.url = url
            secret = file
        }
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
