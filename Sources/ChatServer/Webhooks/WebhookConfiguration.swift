import HTTPClient
package import Tokens

/// The settings of the webhook.
package struct WebhookConfiguration: Sendable {
    /// `http://` or `https://`.
    package let url: String
    package let secret: WebhookSecret
    /// The time for one post, in seconds.
    package var patience = 10

    /// Returns whether a text is the address of a webhook, as far as the text itself tells.
    package static func accepts(_ url: String) -> Bool { HTTPPoster.accepts(url) }

    package init(url: String, secret: WebhookSecret) {
        self.url = url
        self.secret = secret
    }
}
