package import JSON

extension Person: WireRow {
    package static let rowWithoutSection = Section.people

    package func writeContent(to json: inout JSONWriter) {
        Self.write(light, to: &json)
    }

    package static func write(_ light: Profile, to json: inout JSONWriter) {
        light.write(to: &json)
    }

    package static func light(_ fields: Fields) throws(WireError) -> Profile {
        try Profile(fields, .known)
    }

    package init(_ fields: Fields, section: Section) throws(WireError) {
        self.init(
            id: try fields.user("id", .known), sort: try fields.natural("sort"), rev: try fields.natural("rev"),
            tag: try fields.optionalID("tag"), light: try Self.light(fields))
    }
}

extension Profile {
    /// - Parameter origin: the origin of the name. The empty text is no name, or no picture.
    package init(_ fields: Fields, _ origin: NameOrigin) throws(WireError) {
        self.init(
            name: try fields.optional("name") == nil ? nil : fields.displayName("name", origin),
            picture: try fields.optional("picture") == nil ? nil : fields.picture("picture"))
    }

    package func write(to json: inout JSONWriter) {
        if let name { json.string("name", name.description) }
        if let picture { json.string("picture", picture.description) }
    }
}

extension Fields {
    fileprivate func displayName(_ key: String, _ origin: NameOrigin) throws(WireError) -> DisplayName? {
        let text = try text(key)
        if text.isEmpty { return nil }
        switch origin {
        case .known:
            guard let name = DisplayName(known: text) else {
                throw misshapen(key, text, "1 to 64 bytes without control characters")
            }
            return name
        case .entered:
            if let name = DisplayName(text) { return name }
            throw error(key, "'\(Quotation.clipped(text))' \(UserName.fault(in: text) ?? "is no name")")
        }
    }
}
