/// The web page from the repository's folder Web, built into the program.
///
/// An installation thus needs only one file.
package enum WebPage {
    /// One file of the page.
    package struct File: Sendable {
        package let contentType: String
        package let bytes: [UInt8]
    }

    /// The pictures of rooms that the page loads.
    package enum Pictures: Sendable {
        case none
        /// Those of any host that speaks https.
        case anywhere
    }

    /// The page's document, whose policy allows pictures of any host.
    private static let indexWithPictures = Array(
        String(decoding: PackageResources.index_html, as: UTF8.self)
            .replacing("img-src 'self'", with: Pictures.anywhere.source).utf8)

    private static func index(_ pictures: Pictures) -> File {
        let bytes =
            switch pictures {
            case .none: PackageResources.index_html
            case .anywhere: indexWithPictures
            }
        return File(contentType: "text/html; charset=utf-8", bytes: bytes)
    }

    /// Returns the file at a path; `nil` for a path that does not belong to the page.
    package static func file(at path: String, _ pictures: Pictures = .none) -> File? {
        switch path {
        case "/": index(pictures)
        case "/diffroom.d.ts": File(contentType: "text/plain; charset=utf-8", bytes: PackageResources.diffroom_d_ts)
        case "/style.css": File(contentType: "text/css; charset=utf-8", bytes: PackageResources.style_css)
        case "/favicon.svg": File(contentType: "image/svg+xml", bytes: PackageResources.favicon_svg)
        default: script(at: path)
        }
    }

    private static func script(at path: String) -> File? {
        switch path {
        case "/actions.js": script(PackageResources.actions_js)
        case "/app.js": script(PackageResources.app_js)
        case "/between.js": script(PackageResources.between_js)
        case "/chunks.js": script(PackageResources.chunks_js)
        case "/composer.js": script(PackageResources.composer_js)
        case "/conversation.js": script(PackageResources.conversation_js)
        case "/diffroom.js": script(PackageResources.diffroom_js)
        case "/dragging.js": script(PackageResources.dragging_js)
        case "/elements.js": script(PackageResources.elements_js)
        case "/faces.js": script(PackageResources.faces_js)
        case "/labels.js": script(PackageResources.labels_js)
        case "/link.js": script(PackageResources.link_js)
        case "/membership.js": script(PackageResources.membership_js)
        case "/mentions.js": script(PackageResources.mentions_js)
        case "/messages.js": script(PackageResources.messages_js)
        case "/newroom.js": script(PackageResources.newroom_js)
        case "/notifier.js": script(PackageResources.notifier_js)
        case "/offer.js": script(PackageResources.offer_js)
        case "/owner.js": script(PackageResources.owner_js)
        case "/panel.js": script(PackageResources.panel_js)
        case "/people.js": script(PackageResources.people_js)
        case "/pictures.js": script(PackageResources.pictures_js)
        case "/pins.js": script(PackageResources.pins_js)
        case "/question.js": script(PackageResources.question_js)
        case "/roommenu.js": script(PackageResources.roommenu_js)
        case "/rows.js": script(PackageResources.rows_js)
        case "/seen.js": script(PackageResources.seen_js)
        case "/settings.js": script(PackageResources.settings_js)
        case "/sidebar.js": script(PackageResources.sidebar_js)
        case "/speaker.js": script(PackageResources.speaker_js)
        case "/storage.js": script(PackageResources.storage_js)
        case "/switcher.js": script(PackageResources.switcher_js)
        case "/unread.js": script(PackageResources.unread_js)
        default: nil
        }
    }

    private static func script(_ bytes: [UInt8]) -> File {
        File(contentType: "text/javascript; charset=utf-8", bytes: bytes)
    }

    /// The headers of every answer with a file of the page. They let it load nothing from elsewhere and report nothing.
    ///
    /// - Parameter pictures: ``Pictures/anywhere`` lets it load pictures.
    package static func headers(_ pictures: Pictures = .none) -> [(String, String)] {
        [("content-security-policy", policy(pictures))] + otherHeaders
    }

    private static func policy(_ pictures: Pictures) -> String {
        "default-src 'none'; script-src 'self'; style-src 'self'; \(pictures.source); connect-src 'self'; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
            + "require-trusted-types-for 'script'; trusted-types 'none'"
    }

    private static let otherHeaders = [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-cache"),
    ]
}

extension WebPage.Pictures {
    /// The directive of the policy.
    fileprivate var source: String {
        switch self {
        case .none: "img-src 'self'"
        case .anywhere: "img-src 'self' https:"
        }
    }
}
