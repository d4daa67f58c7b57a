package import JSON

extension Member: WireRow {
    package typealias Page = MembersPage

    package static let rowWithoutSection = Section.online

    package func writeContent(to json: inout JSONWriter) {
        if light.isTyping { json.boolean("typing", true) }
        if light.read > 0 { json.number("read", light.read) }
        light.writeMembership(to: &json)
    }

    package static func write(_ light: Light, to json: inout JSONWriter) {
        json.boolean("typing", light.isTyping)
        json.number("read", light.read)
        light.writeMembership(to: &json)
    }

    package static func light(_ fields: Fields) throws(WireError) -> Light {
        Light(
            isTyping: try fields.optionalBoolean("typing") ?? false, read: try fields.optionalNatural("read") ?? 0,
            since: try fields.optionalMilliseconds("since"),
            role: try fields.optional("role") == nil ? .none : fields.name("role"),
            inviter: try fields.optional("by") == nil ? nil : fields.user("by", .known))
    }

    package init(_ fields: Fields, section: Section) throws(WireError) {
        self.init(
            id: try fields.user("id", .known), section: section, sort: try fields.natural("sort"),
            rev: try fields.natural("rev"), light: try Self.light(fields))
    }
}

extension Member.Light {
    fileprivate func writeMembership(to json: inout JSONWriter) {
        if let since { json.number("since", since) }
        if role != .none { json.string("role", role.description) }
        if let inviter { json.string("by", inviter.description) }
    }
}
