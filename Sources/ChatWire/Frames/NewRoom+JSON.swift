package import JSON

extension NewRoom {
    /// The values of `kind`.
    private enum Kind: String, CaseIterable {
        case open, `private`, direct
    }

    /// - Parameters:
    ///   - origin: the origin of the people's names, and of the title.
    ///   - room: the name of an open room.
    init(
        _ fields: Fields, _ origin: NameOrigin, named room: @autoclosure () throws(WireError) -> RoomName
    ) throws(WireError) {
        let name = try fields.text("kind")
        guard let kind = Kind(rawValue: name) else {
            throw fields.misshapen("kind", name, "one of \(Kind.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        switch kind {
        case .open:
            let room = try room()
            guard room.kind == .open else {
                throw fields.error("room", "'\(room)' is no name of an open room, must not begin with ~ or @")
            }
            guard try fields.elements("people").isEmpty else {
                throw fields.error("people", "an open room is for everybody who may read it, and has no invitations")
            }
            self = .open(room, title: try fields.optionalTitle(origin))
        case .private:
            self = .private(
                people: try fields.users("people", origin, most: Self.mostInvited),
                title: try fields.optionalTitle(origin))
        case .direct:
            let people = try fields.users("people", origin, most: Self.mostOthers)
            guard !people.isEmpty else { throw fields.error("people", "empty, must be 1 to \(Self.mostOthers) names") }
            guard fields.optional("title") == nil else { throw fields.error("title", "a direct room has none") }
            self = .direct(people: people)
        }
    }

    /// Writes the members of a JSON object, without the room's name.
    package func write(to json: inout JSONWriter) {
        json.string("kind", kind.rawValue)
        if !people.isEmpty { json.array("people", people) { $0.string(nil, $1.description) } }
        if let title { json.string("title", title.description) }
    }
}

extension Fields {
    /// Reads some people's names, each of which stands there once.
    func users(_ key: String, _ origin: NameOrigin, most: Int) throws(WireError) -> [UserName] {
        let values = try elements(key)
        guard values.count <= most else {
            throw error(key, "\(values.count) names, must be at most \(most)", .tooMany)
        }
        var users: [UserName] = []
        for (index, value) in values.enumerated() {
            let user = try user("\(key)[\(index)]", value, origin)
            guard !users.contains(user) else { throw error("\(key)[\(index)]", "'\(user)' is listed twice") }
            users.append(user)
        }
        return users
    }

    /// Reads the title of a room that may have none.
    func optionalTitle(_ origin: NameOrigin) throws(WireError) -> RoomTitle? {
        try optional("title") == nil ? nil : title("title", origin)
    }

    /// Reads a room's title; `nil` for the empty text, which is none.
    func title(_ key: String, _ origin: NameOrigin) throws(WireError) -> RoomTitle? {
        try label(key, origin)
    }

    /// Reads a room's topic; `nil` for the empty text, which is none.
    func topic(_ key: String, _ origin: NameOrigin) throws(WireError) -> RoomTopic? {
        try label(key, origin)
    }

    private func label<Label: RoomText>(_ key: String, _ origin: NameOrigin) throws(WireError) -> Label? {
        let text = try text(key)
        guard text.utf8.count <= Label.limit else {
            throw error(key, "has \(text.utf8.count) bytes, must be at most \(Label.limit)", .tooLong)
        }
        guard !text.isEmpty else { return nil }
        switch origin {
        case .entered:
            if let fault = Label.fault(in: text) { throw error(key, "'\(Quotation.clipped(text))' \(fault)") }
            return Label(text)
        case .known:
            guard let label = Label(known: text) else { throw misshapen(key, text, "without control characters") }
            return label
        }
    }

    /// Reads the URL of a picture; `nil` for the empty text, which is none.
    func picture(_ key: String) throws(WireError) -> Picture? {
        let text = try text(key)
        guard text.utf8.count <= Picture.limit else {
            throw error(key, "has \(text.utf8.count) bytes, must be at most \(Picture.limit)", .tooLong)
        }
        guard !text.isEmpty else { return nil }
        guard let picture = Picture(text) else { throw misshapen(key, text, Picture.shape) }
        return picture
    }
}
