/// A change to a room that a service or an operator orders by HTTP.
///
/// - Shape: a client's `send`, `edit`, `append`, `close`, `delete`, `react`, `moderate`, `create`, `join` or `leave` frame
///   without `ref`, and with `author`; the last two also with `command`.
package struct ServiceCommand: Equatable, Sendable {
    package let author: UserName
    package let request: ClientFrame.Request
    /// The id by which a repeat is recognised.
    package let command: CommandID

    private enum Kind: String, CaseIterable {
        case send, edit, append, close, delete, react, moderate, create, join, leave
    }

    /// - Throws: ``WireError``, the one that a client would be answered with.
    package init(json: [UInt8], limits: WireLimits) throws(WireError) {
        let fields = try Fields(body: json)
        let kind = try fields.kind(Kind.self)
        author = try fields.user("author", .entered)
        request = try ClientFrame.Request(fields, limits)
        command = try fields.id(kind == .send ? "id" : "command")
    }
}
