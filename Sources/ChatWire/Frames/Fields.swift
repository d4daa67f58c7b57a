import JSON

/// The fields of one JSON object. An error names the field, what was found and what would be right.
///
/// A field that is `null` counts as missing, because many languages write an absent value this way.
package struct Fields {
    let object: JSONValue
    /// The object's path in its frame: `""`, `"resume"`, `"ins"`.
    let path: String
    /// The object's index, if `path` is an array.
    let index: Int?

    /// - Throws: `bad_request` unless `value` is an object.
    init(_ value: JSONValue, path: String = "", index: Int? = nil) throws(WireError) {
        object = value
        self.path = path
        self.index = index
        guard value.kind == .object else {
            let name = Self.name(path, index)
            throw WireError(.invalid, "\(name): found \(value.article), must be an object", field: name)
        }
    }

    /// The value of a field; `nil` if it is missing or `null`.
    func optional(_ key: String) -> JSONValue? {
        guard let value = object[key], value.kind != .null else { return nil }
        return value
    }

    func required(_ key: String, _ what: String) throws(WireError) -> JSONValue {
        guard let value = object[key] else { throw missing(key, "must be \(what)") }
        return value
    }

    /// The name of a field in an error, such as `refs[3].name`.
    func name(_ key: String) -> String {
        path.isEmpty ? key : "\(Self.name(path, index)).\(key)"
    }

    func error(_ key: String, _ problem: String, _ reason: WireError.Reason = .invalid) -> WireError {
        WireError(reason, "\(name(key)): \(problem)", field: name(key))
    }

    func missing(_ key: String, _ problem: String) -> WireError {
        error(key, "missing, \(problem)", .missing)
    }

    func mismatch(_ key: String, _ value: JSONValue, _ what: String) -> WireError {
        error(key, "found \(value.article), must be \(what)")
    }

    private static func name(_ path: String, _ index: Int?) -> String {
        index.map { "\(path)[\($0)]" } ?? path
    }
}

extension Fields {
    package func text(_ key: String) throws(WireError) -> String {
        let value = try required(key, "a string")
        guard let text = value.string else { throw mismatch(key, value, "a string") }
        return text
    }

    func boolean(_ key: String) throws(WireError) -> Bool {
        let value = try required(key, "true or false")
        guard let boolean = value.boolean else { throw mismatch(key, value, "true or false") }
        return boolean
    }

    func optionalText(_ key: String) throws(WireError) -> String? {
        optional(key) == nil ? nil : try text(key)
    }

    func optionalBoolean(_ key: String) throws(WireError) -> Bool? {
        optional(key) == nil ? nil : try boolean(key)
    }

    func natural(_ key: String) throws(WireError) -> UInt64 {
        try natural(key, required(key, Self.naturalShape))
    }

    func optionalNatural(_ key: String) throws(WireError) -> UInt64? {
        guard let value = optional(key) else { return nil }
        return try natural(key, value)
    }

    func count(_ key: String) throws(WireError) -> Int {
        Int(try natural(key))
    }

    /// A time or a span of time.
    package func milliseconds(_ key: String) throws(WireError) -> Milliseconds {
        Milliseconds(try natural(key))
    }

    func optionalMilliseconds(_ key: String) throws(WireError) -> Milliseconds? {
        try optionalNatural(key).map { Milliseconds($0) }
    }

    func name<Name: WireName>(_ key: String, _: Name.Type = Name.self) throws(WireError) -> Name {
        try name(key, required(key, "a string"))
    }

    func name<Name: WireName>(_ key: String, _ value: JSONValue, _: Name.Type = Name.self) throws(WireError) -> Name {
        guard let text = value.string else { throw mismatch(key, value, "a string") }
        guard let name = Name(text) else { throw misshapen(key, text, Name.shape) }
        return name
    }

    /// The user that a field names, checked by the rules for its origin.
    package func user(_ key: String, _ origin: NameOrigin) throws(WireError) -> UserName {
        try user(key, required(key, "a string"), origin)
    }

    func user(_ key: String, _ value: JSONValue, _ origin: NameOrigin) throws(WireError) -> UserName {
        guard let text = value.string else { throw mismatch(key, value, "a string") }
        switch origin {
        case .known:
            guard let name = UserName(known: text) else {
                throw misshapen(key, text, "1 to 64 bytes without control characters")
            }
            return name
        case .entered:
            if let name = UserName(text) { return name }
            throw error(key, "'\(Quotation.clipped(text))' \(UserName.fault(in: text) ?? "is no name")")
        }
    }

    package func id(_ key: String) throws(WireError) -> UniqueID {
        try id(key, required(key, Self.idShape))
    }

    func optionalID(_ key: String) throws(WireError) -> UniqueID? {
        guard let value = optional(key) else { return nil }
        return try id(key, value)
    }

    func id(_ key: String, _ value: JSONValue) throws(WireError) -> UniqueID {
        if let bytes = value.plainBytes, let id = UniqueID(utf8: bytes) { return id }
        guard let text = value.string else { throw mismatch(key, value, Self.idShape) }
        guard let id = UniqueID(text) else { throw misshapen(key, text, Self.idShape) }
        return id
    }

    /// The values of an array; none if the field is missing.
    func elements(_ key: String) throws(WireError) -> [JSONValue] {
        guard let value = optional(key) else { return [] }
        guard let elements = value.elements else { throw mismatch(key, value, "an array") }
        return elements
    }

    func misshapen(_ key: String, _ text: String, _ shape: String) -> WireError {
        error(key, "'\(Quotation.clipped(text))' is not right, must be \(shape)")
    }

    private func natural(_ key: String, _ value: JSONValue) throws(WireError) -> UInt64 {
        if let natural = value.natural { return natural }
        switch value.kind {
        case .natural, .number:
            throw error(key, "\(Quotation.clipped(value.source)) is not right, must be \(Self.naturalShape)")
        default: throw mismatch(key, value, Self.naturalShape)
        }
    }

    private static let naturalShape = "a whole number from 0 to 9007199254740991, in digits only"
    private static let idShape = "a UUID: hexadecimal digits, 8-4-4-4-12"
}

/// The origin of a user's name in a frame. It decides how the name is checked.
package enum NameOrigin: Sendable {
    /// A person has entered the name, so it is checked character by character.
    case entered
    /// A server sent the name, which was checked when it was entered.
    case known
}
