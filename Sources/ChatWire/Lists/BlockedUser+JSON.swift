package import JSON

extension BlockedUser: WireRow {
    package static let rowWithoutSection = Section.blocked

    package func writeContent(to json: inout JSONWriter) {
        Self.write(light, to: &json)
    }

    package static func write(_ light: Light, to json: inout JSONWriter) {
        json.number("time", light.time)
    }

    package static func light(_ fields: Fields) throws(WireError) -> Light {
        Light(time: try fields.milliseconds("time"))
    }

    package init(_ fields: Fields, section: Section) throws(WireError) {
        self.init(
            id: try fields.user("id", .known), sort: try fields.natural("sort"), rev: try fields.natural("rev"),
            tag: try fields.optionalID("tag"), light: try Self.light(fields))
    }
}
