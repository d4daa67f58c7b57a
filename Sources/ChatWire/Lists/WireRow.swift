package import JSON

/// A row that travels in frames. The code that all kinds of row share is in the extensions here.
package protocol WireRow: ListRow {
    /// The content of a `page` of such a list.
    associatedtype Page: WireContent = ListPage<Self>

    /// The section of a row in a frame that does not name one because it does not matter: a reload's.
    static var rowWithoutSection: Section { get }
    /// The row's section when it is news.
    var sectionInNews: Section { get }

    static func write(_ id: ID, as key: String?, to json: inout JSONWriter)
    static func id(_ key: String, _ value: JSONValue, of fields: Fields) throws(WireError) -> ID

    /// `nil` for a text that is no id.
    static func id(known text: String) -> ID?

    /// Writes all but identity and place.
    func writeContent(to json: inout JSONWriter)
    /// Writes every light field, including those that a row leaves out.
    static func write(_ light: Light, to json: inout JSONWriter)
    static func light(_ fields: Fields) throws(WireError) -> Light

    /// The names of the operations of a diff that change a part of a row, in the order in which they stand.
    static var patches: [String] { get }
    static func name(_ patch: Patch) -> String
    static func write(_ patch: Patch, to json: inout JSONWriter)
    static func patch(_ name: String, _ fields: Fields) throws(WireError) -> Patch

    init(_ fields: Fields, section: Section) throws(WireError)
}

extension WireRow where Patch == NoPatch<Self> {
    package static var patches: [String] { [] }

    package static func name(_ patch: Patch) -> String { "" }

    package static func write(_ patch: Patch, to json: inout JSONWriter) {}

    package static func patch(_ name: String, _ fields: Fields) throws(WireError) -> Patch {
        throw fields.error(name, "rows of this list have no patches")
    }
}

extension WireRow {
    package var sectionInNews: Section { section }

    /// Writes the row.
    ///
    /// - Parameter named: the section to name in the row; `nil` where the frame's layout tells the section.
    package func write(to json: inout JSONWriter, in named: Section? = nil) {
        json.object { json in
            Self.write(id, as: "id", to: &json)
            if let named { json.string("section", named.rawValue) }
            json.number("sort", sort)
            json.number("rev", rev)
            if let tag { json.id("tag", tag) }
            writeContent(to: &json)
        }
    }
}

extension WireRow where ID == UserName {
    package static func write(_ id: UserName, as key: String?, to json: inout JSONWriter) {
        json.string(key, id.description)
    }

    package static func id(_ key: String, _ value: JSONValue, of fields: Fields) throws(WireError) -> UserName {
        try fields.user(key, value, .known)
    }

    package static func id(known text: String) -> UserName? { UserName(known: text) }
}

extension WireRow where ID == UniqueID {
    package static func write(_ id: UniqueID, as key: String?, to json: inout JSONWriter) {
        json.id(key, id)
    }

    package static func id(_ key: String, _ value: JSONValue, of fields: Fields) throws(WireError) -> UniqueID {
        try fields.id(key, value)
    }

    package static func id(known text: String) -> UniqueID? { UniqueID(text) }
}

extension WireRow where ID == RoomName {
    package static func write(_ id: RoomName, as key: String?, to json: inout JSONWriter) {
        json.string(key, id.description)
    }

    package static func id(_ key: String, _ value: JSONValue, of fields: Fields) throws(WireError) -> RoomName {
        try fields.knownRoom(key, value)
    }

    package static func id(known text: String) -> RoomName? { RoomName(known: text) }
}

extension ListMove where Row: WireRow {
    func write(to json: inout JSONWriter) {
        json.object { json in
            Row.write(id, as: "id", to: &json)
            json.string("section", section.rawValue)
            json.number("sort", sort)
            json.number("rev", rev)
            if let tag { json.id("tag", tag) }
        }
    }

    init(_ fields: Fields) throws(WireError) {
        self.init(
            id: try fields.id(of: Row.self), section: try fields.section(), sort: try fields.natural("sort"),
            rev: try fields.natural("rev"), tag: try fields.optionalID("tag"))
    }
}

extension ListReconfiguration where Row: WireRow {
    func write(to json: inout JSONWriter) {
        json.object { json in
            Row.write(id, as: "id", to: &json)
            json.number("rev", rev)
            if let tag { json.id("tag", tag) }
            Row.write(light, to: &json)
        }
    }

    init(_ fields: Fields) throws(WireError) {
        self.init(
            id: try fields.id(of: Row.self), rev: try fields.natural("rev"), tag: try fields.optionalID("tag"),
            light: try Row.light(fields))
    }
}

extension ListPatch where Row: WireRow {
    func write(to json: inout JSONWriter) {
        json.object { json in
            Row.write(id, as: "id", to: &json)
            json.number("rev", rev)
            Row.write(patch, to: &json)
        }
    }

    init(_ fields: Fields, named name: String) throws(WireError) {
        self.init(id: try fields.id(of: Row.self), rev: try fields.natural("rev"), patch: try Row.patch(name, fields))
    }
}

extension Fields {
    /// The `id` of a row.
    fileprivate func id<Row: WireRow>(of _: Row.Type) throws(WireError) -> Row.ID {
        try Row.id("id", required("id", "an id"), of: self)
    }

    /// The section that the object names.
    func section<Section: ListSection>(_: Section.Type = Section.self) throws(WireError) -> Section {
        let text = try text("section")
        guard let section = Section(rawValue: text) else {
            throw misshapen("section", text, Section.allCases.map(\.rawValue).joined(separator: " or "))
        }
        return section
    }
}
