package import Tokens

/// The settings of the webhook.
package struct WebhookConfiguration: Sendable {
    /// `http://` or `https://`.
    package let url: String
    package let secret: WebhookSecret
    /// The time for one post, in seconds.
    package var patience = 10

    package init(url: String, secret: WebhookSecret) {
        self.url = url
        self.secret = secret
    }
}
