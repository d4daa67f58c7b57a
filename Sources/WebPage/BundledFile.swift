/// A file of the page, as the plugin BundlePage makes it from the folder Web and builds it into the program.
struct BundledFile: Sendable {
    /// Where the page looks for it. `/?pictures` is the document of a page that may load pictures, and `/?store` that of one
    /// whose policy is in its header alone.
    let path: String
    let contentType: String
    /// A hash of the bytes.
    let tag: String
    /// Whether the path depends on the content, so that the file at a path never changes.
    let isImmutable: Bool
    /// The bytes in base64.
    let bytes: StaticString
    /// The same bytes compressed by gzip, in base64; empty if that makes them no smaller.
    let packed: StaticString
}
