import JSON

extension SearchRequest {
    func write(to json: inout JSONWriter) {
        json.string("query", text)
        if let room { json.string("room", room.description) }
        before?.write("before", to: &json)
        json.number("limit", limit)
    }

    init(_ fields: Fields) throws(WireError) {
        let limit = try fields.optionalNatural("limit") ?? UInt64(Self.usualResults)
        guard (1...UInt64(Self.mostResults)).contains(limit) else {
            throw fields.error("limit", "\(limit) is not between 1 and \(Self.mostResults)")
        }
        try self.init(
            fields.text("query"), room: fields.optional("room") == nil ? nil : fields.name("room"),
            before: fields.searchPlace(), limit: Int(limit))
    }
}

extension SearchPlace {
    func write(_ key: String, to json: inout JSONWriter) {
        json.object(key) { json in
            json.number("time", time)
            json.string("room", room.description)
            json.number("sort", sort)
        }
    }
}

extension Fields {
    fileprivate func searchPlace() throws(WireError) -> SearchPlace? {
        guard let value = optional("before") else { return nil }
        let fields = try Fields(value, path: "before")
        return SearchPlace(
            time: try fields.milliseconds("time"),
            room: try fields.knownRoom("room", fields.required("room", "a string")),
            sort: try fields.natural("sort"))
    }
}

extension SearchPage {
    func write(to json: inout JSONWriter) {
        json.string("type", ServerFrame.Kind.found.rawValue)
        json.array("results", results) { json, result in
            json.object { json in
                json.string("room", result.room.description)
                json.value("row", result.row.json)
                json.array("at", result.matches) { json, range in
                    json.array(nil, [range.lowerBound, range.upperBound]) { $0.number(nil, $1) }
                }
            }
        }
        before?.write("before", to: &json)
    }

    init(_ fields: Fields) throws(WireError) {
        var results: [SearchResult] = []
        for (index, value) in try fields.elements("results").enumerated() {
            results.append(try SearchResult(Fields(value, path: "results", index: index)))
        }
        self.init(results: results, before: try fields.searchPlace())
    }
}

extension SearchResult {
    fileprivate init(_ fields: Fields) throws(WireError) {
        let row = try Fields(fields.required("row", "an object"), path: fields.name("row"))
        var matches: [Range<Int>] = []
        for value in try fields.elements("at") {
            guard let ends = value.elements, ends.count == 2, let from = ends[0].natural, let to = ends[1].natural,
                from < to
            else { throw fields.error("at", "must be pairs of ascending whole numbers") }
            matches.append(Int(from)..<Int(to))
        }
        self.init(
            room: try fields.knownRoom("room", fields.required("room", "a string")),
            row: try Message(row, section: .history), matches: matches)
    }
}
