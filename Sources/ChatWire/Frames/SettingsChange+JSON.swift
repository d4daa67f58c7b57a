import JSON

extension SettingsChange {
    init(_ fields: Fields) throws(WireError) {
        self.init(
            pinned: try fields.pin(), isMuted: try fields.optionalBoolean("muted"),
            isArchived: try fields.optionalBoolean("archived"))
        (isMarked, unreadFrom) = try fields.mark()
        guard self != SettingsChange() else {
            throw fields.missing("pinned", "as are `muted`, `archived` and `marked`: must have one of them")
        }
    }

    func write(to json: inout JSONWriter) {
        switch pinned {
        case .at(let place): json.number("pinned", place)
        case .off: json.boolean("pinned", false)
        case nil: break
        }
        if let isMuted { json.boolean("muted", isMuted) }
        if let isArchived { json.boolean("archived", isArchived) }
        if let unreadFrom {
            json.number("marked", unreadFrom)
        } else if let isMarked {
            json.boolean("marked", isMarked)
        }
    }
}

extension Fields {
    fileprivate func mark() throws(WireError) -> (Bool?, from: UInt64?) {
        guard let value = optional("marked") else { return (nil, nil) }
        if let isMarked = value.boolean { return (isMarked, nil) }
        if let sort = value.natural, sort > 0 { return (true, sort) }
        let shape = "true, false, or the sort key of the first message to be unread"
        switch value.kind {
        case .natural, .number:
            throw error("marked", "\(Quotation.clipped(value.source)) is not right, must be \(shape)")
        default: throw mismatch("marked", value, shape)
        }
    }

    fileprivate func pin() throws(WireError) -> SettingsChange.Pin? {
        guard let value = optional("pinned") else { return nil }
        if value.boolean == false { return .off }
        if let place = value.natural, SettingsChange.places.contains(place) { return .at(place) }
        let shape = "a whole number from 1 to \(SettingsChange.places.upperBound), or false"
        switch value.kind {
        case .natural, .number, .boolean:
            throw error("pinned", "\(Quotation.clipped(value.source)) is not right, must be \(shape)")
        default: throw mismatch("pinned", value, shape)
        }
    }
}
