import Foundation

/// The web page from the repository's folder Web, built into the program.
///
/// An installation thus needs only one file.
package enum WebPage {
    /// One file of the page.
    package struct File: Sendable {
        package let contentType: String
        package let bytes: [UInt8]
        /// The same bytes compressed by gzip; `nil` if that makes them no smaller.
        package let packed: [UInt8]?
        /// The entity tag. It is weak, because the two forms of the bytes share it.
        package let tag: String
        /// How long a cache may use the file without asking: for ever if the path depends on the content, else not at all.
        package let cacheControl: String
    }

    /// The pictures of rooms that the page loads.
    package enum Pictures: Sendable {
        case none
        /// Pictures of any host that speaks https.
        case anywhere
    }

    /// The sources from which the page loads besides its own files.
    package struct Sources: Sendable {
        package var pictures: Pictures
        /// The origin of the files of messages, where it also uploads them; `nil` for the page's own.
        package var store: String?

        package init(pictures: Pictures = .none, store: String? = nil) {
            (self.pictures, self.store) = (pictures, store)
        }
    }

    /// The files of the page by their paths.
    private static let files = Dictionary(
        BundledFile.all.map { ($0.path, File($0)) }, uniquingKeysWith: { $1 })

    /// Returns the file at a path; `nil` for a path that does not belong to the page.
    package static func file(at path: String, _ sources: Sources = Sources()) -> File? {
        switch (path, sources.pictures) {
        case ("/", _) where sources.store != nil: files["/?store"]
        case ("/", .anywhere): files["/?pictures"]
        case (_, .anywhere), (_, .none): files[path]
        }
    }

    /// The headers of every answer with a file of the page. They let it load nothing from elsewhere and report nothing.
    ///
    /// - Parameter sources: what it loads nevertheless.
    package static func headers(of file: File, _ sources: Sources = Sources()) -> [(String, String)] {
        let own = [
            ("content-type", file.contentType), ("cache-control", file.cacheControl), ("etag", file.tag),
            ("vary", "accept-encoding"), ("content-security-policy", policy(sources)),
        ]
        return own + otherHeaders
    }

    private static func policy(_ sources: Sources) -> String {
        let store = sources.store.map { " \($0)" } ?? ""
        return "default-src 'none'; script-src 'self'; style-src 'self'; \(sources.pictures.source)\(store); "
            + "media-src 'self' blob:\(store); connect-src 'self'\(store); manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
            + "require-trusted-types-for 'script'; trusted-types diffroom-worker"
    }

    private static let otherHeaders = [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ]
}

extension WebPage.File {
    fileprivate init(_ file: BundledFile) {
        contentType = file.contentType
        bytes = Self.decoded(file.bytes)
        packed = file.packed.utf8CodeUnitCount > 0 ? Self.decoded(file.packed) : nil
        tag = #"W/"\#(file.tag)""#
        cacheControl = file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache"
    }

    private static func decoded(_ base64: StaticString) -> [UInt8] {
        guard let bytes = Data(base64Encoded: "\(base64)") else { preconditionFailure("scripts/bundle writes base64") }
        return Array(bytes)
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
