/// A change to a room that a service or an operator orders by HTTP.
///
/// - Shape: a client's `send`, `edit`, `delete`, `react`, `moderate` or `create` frame without `ref`, and with `author`.
package struct ServiceCommand: Equatable, Sendable {
    package let author: UserName
    package let request: ClientFrame.Request

    private enum Kind: String, CaseIterable {
        case send, edit, delete, react, moderate, create
    }

    /// - Throws: ``WireError``, the one that a client would be answered with.
    package init(json: [UInt8], limits: WireLimits) throws(WireError) {
        let fields = try Fields(body: json)
        _ = try fields.kind(Kind.self)
        author = try fields.user("author", .entered)
        request = try ClientFrame.Request(fields, limits)
    }
}
