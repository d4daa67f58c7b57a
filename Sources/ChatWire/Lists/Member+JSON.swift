package import JSON

extension Member: WireRow {
    package static let rowWithoutSection = Section.online

    package func writeContent(to json: inout JSONWriter) {
        if light.isTyping { json.boolean("typing", true) }
        if light.read > 0 { json.number("read", light.read) }
    }

    package static func write(_ light: Light, to json: inout JSONWriter) {
        json.boolean("typing", light.isTyping)
        json.number("read", light.read)
    }

    package static func light(_ fields: Fields) throws(WireError) -> Light {
        Light(isTyping: try fields.optionalBoolean("typing") ?? false, read: try fields.optionalNatural("read") ?? 0)
    }

    package init(_ fields: Fields, section: Section) throws(WireError) {
        self.init(
            id: try fields.user("id", .known), section: section, sort: try fields.natural("sort"),
            rev: try fields.natural("rev"), light: try Self.light(fields))
    }
}
