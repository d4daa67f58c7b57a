package import JSON

extension Pin: WireRow {
    package static let rowWithoutSection = Section.pins

    package func writeContent(to json: inout JSONWriter) {
        json.string("author", author.description)
        json.number("time", time)
        Self.write(light, to: &json)
    }

    package static func write(_ light: Light, to json: inout JSONWriter) {
        light.content.write(to: &json)
        if let edited = light.edited { json.number("edited", edited) }
    }

    package static func light(_ fields: Fields) throws(WireError) -> Light {
        Light(content: try MessageContent(known: fields), edited: try fields.optionalMilliseconds("edited"))
    }

    package init(_ fields: Fields, section: Section) throws(WireError) {
        self.init(
            id: try fields.id("id"), sort: try fields.natural("sort"), rev: try fields.natural("rev"),
            tag: try fields.optionalID("tag"), author: try fields.user("author", .known),
            time: try fields.milliseconds("time"), light: try Self.light(fields))
    }
}
