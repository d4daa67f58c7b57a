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
        /// Pictures of any host that speaks https.
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
        case "/favicon.svg": picture(PackageResources.favicon_svg)
        case "/favicon-unread.svg": picture(PackageResources.favicon_unread_svg)
        default: scripts[path].map(script)
        }
    }

    /// The page's scripts by their paths.
    private static let scripts: [String: [UInt8]] = [
        "/access.js": PackageResources.access_js,
        "/actions.js": PackageResources.actions_js,
        "/addresses.js": PackageResources.addresses_js,
        "/app.js": PackageResources.app_js,
        "/between.js": PackageResources.between_js,
        "/chunks.js": PackageResources.chunks_js,
        "/composer.js": PackageResources.composer_js,
        "/conversation.js": PackageResources.conversation_js,
        "/diffroom.js": PackageResources.diffroom_js,
        "/dragging.js": PackageResources.dragging_js,
        "/elements.js": PackageResources.elements_js,
        "/faces.js": PackageResources.faces_js,
        "/labels.js": PackageResources.labels_js,
        "/link.js": PackageResources.link_js,
        "/membership.js": PackageResources.membership_js,
        "/mentions.js": PackageResources.mentions_js,
        "/messages.js": PackageResources.messages_js,
        "/moderation.js": PackageResources.moderation_js,
        "/moderator.js": PackageResources.moderator_js,
        "/newroom.js": PackageResources.newroom_js,
        "/notifier.js": PackageResources.notifier_js,
        "/offer.js": PackageResources.offer_js,
        "/openrooms.js": PackageResources.openrooms_js,
        "/owner.js": PackageResources.owner_js,
        "/panel.js": PackageResources.panel_js,
        "/people.js": PackageResources.people_js,
        "/pictures.js": PackageResources.pictures_js,
        "/pins.js": PackageResources.pins_js,
        "/popupmenu.js": PackageResources.popupmenu_js,
        "/question.js": PackageResources.question_js,
        "/roommenu.js": PackageResources.roommenu_js,
        "/router.js": PackageResources.router_js,
        "/rows.js": PackageResources.rows_js,
        "/scrollposition.js": PackageResources.scrollposition_js,
        "/seen.js": PackageResources.seen_js,
        "/settings.js": PackageResources.settings_js,
        "/sidebar.js": PackageResources.sidebar_js,
        "/speaker.js": PackageResources.speaker_js,
        "/storage.js": PackageResources.storage_js,
        "/switcher.js": PackageResources.switcher_js,
        "/totals.js": PackageResources.totals_js,
        "/unread.js": PackageResources.unread_js,
        "/user.js": PackageResources.user_js,
    ]

    private static func script(_ bytes: [UInt8]) -> File {
        File(contentType: "text/javascript; charset=utf-8", bytes: bytes)
    }

    private static func picture(_ bytes: [UInt8]) -> File {
        File(contentType: "image/svg+xml", bytes: bytes)
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
