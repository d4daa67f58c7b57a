import JSON

/// The part that all frames share: one JSON object, perhaps with a `ref`.
struct Envelope {
    let root: JSONValue
    /// The frame's `ref`, if it can be read. The answer carries it even when the rest of the frame is wrong.
    let ref: UInt64?

    /// The most values and keys in a client's frame.
    ///
    /// No request needs as many, also one that names ``Resume/mostRows`` rows, and reading this many costs little.
    static let mostAsked = 2_048

    /// - Parameter limit: the most values and keys that the text may have.
    /// - Throws: ``FrameError/notAnObject(_:)``.
    init(_ json: [UInt8], limit: Int = .max) throws(FrameError) {
        let tape: JSONTape
        do {
            tape = try JSONTape(json, limit: limit)
        } catch {
            throw .notAnObject("not JSON: \(error.message), at byte \(error.offset)")
        }
        root = tape.root
        guard root.kind == .object else { throw .notAnObject("found \(root.article), must be a JSON object") }
        ref = root["ref"]?.natural
    }

    /// - Throws: `bad_request` for a text that is grammatical JSON but has a fault, such as a repeated key.
    func fields() throws(WireError) -> Fields {
        if let fault = root.tape.fault { throw WireError(.syntax, "JSON: \(fault)") }
        return try Fields(root)
    }
}

extension Fields {
    /// The frame's `type`, one of `Kind`.
    func kind<Kind: RawRepresentable<String> & CaseIterable>(_: Kind.Type) throws(WireError) -> Kind {
        let type = try text("type")
        guard let kind = Kind(rawValue: type) else {
            let known = Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw misshapen("type", type, "one of \(known)")
        }
        return kind
    }
}

extension Fields {
    /// Reads an HTTP body, which is one object.
    package init(body json: [UInt8]) throws(WireError) {
        let envelope: Envelope
        do throws(FrameError) {
            envelope = try Envelope(json, limit: Envelope.mostAsked)
        } catch {
            switch error {
            case .notAnObject(let reason): throw WireError(.syntax, "the body: \(reason)")
            case .bad(_, let error): throw error
            }
        }
        self = try envelope.fields()
    }
}
