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
        author = try fields.name("author")
        request = try ClientFrame.Request(fields, limits)
    }
}

extension Fields {
    /// The one object of a body.
    init(body json: [UInt8]) throws(WireError) {
        let envelope: Envelope
        do throws(FrameError) {
            envelope = try Envelope(json)
        } catch {
            switch error {
            case .notAnObject(let reason): throw WireError(.badRequest, "the body: \(reason)")
            case .bad(_, let error): throw error
            }
        }
        self = try envelope.fields()
    }
}
