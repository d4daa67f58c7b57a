/// What a service, or an operator, has done in a room.
///
/// - Shape: a client's `send`, `edit`, `delete`, `react` or `moderate` frame without `ref`, and with `author`.
package struct ServiceCommand: Equatable, Sendable {
    package let author: UserName
    package let request: ClientFrame.Request

    private enum Kind: String, CaseIterable {
        case send, edit, delete, react, moderate
    }

    /// - Throws: what is wrong with it, as a client would be told.
    package init(json: [UInt8], limits: WireLimits) throws(WireError) {
        let fields = try Fields(body: json)
        _ = try fields.kind(Kind.self)
        author = try fields.user("author", .entered)
        request = try ClientFrame.Request(fields, limits)
    }
}
