package import Tokens

/// Whom to tell what was committed.
package struct WebhookConfiguration: Sendable {
    /// `http://` or `https://`.
    package let url: String
    package let secret: WebhookSecret
    /// For one post, in seconds.
    package var patience = 10

    package init(url: String, secret: WebhookSecret) {
        self.url = url
        self.secret = secret
    }
}
