import CWebPage

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

    /// The files of the page by their paths.
    private static let files: [String: File] = {
        var count = 0
        let first = cw_files(&count)
        let all = UnsafeBufferPointer(start: first, count: count)
        return Dictionary(all.map { (String(cString: $0.path), File($0)) }) { $1 }
    }()

    /// The page's document, whose policy allows pictures of any host.
    private static let indexWithPictures = files["/"].map { index in
        let text = String(decoding: index.bytes, as: UTF8.self)
        return File(
            contentType: index.contentType,
            bytes: Array(text.replacing("img-src 'self'", with: Pictures.anywhere.source).utf8))
    }

    /// Returns the file at a path; `nil` for a path that does not belong to the page.
    package static func file(at path: String, _ pictures: Pictures = .none) -> File? {
        switch pictures {
        case .anywhere where path == "/": indexWithPictures
        case .anywhere, .none: files[path]
        }
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

extension WebPage.File {
    fileprivate init(_ file: cw_file) {
        contentType = Self.contentType(of: String(cString: file.path))
        bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.size))
    }

    private static func contentType(of path: String) -> String {
        switch path.split(separator: ".").last {
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        case "ts": "text/plain; charset=utf-8"
        default: "text/html; charset=utf-8"
        }
    }
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
