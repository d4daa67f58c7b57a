import JSON

extension Fields {
    func resume() throws(WireError) -> Resume? {
        guard let value = optional("resume") else { return nil }
        let fields = try Fields(value, path: "resume")
        let revision = try fields.natural("revision")
        return Resume(
            epoch: try fields.name("epoch"), revision: revision, joined: try fields.natural("joined"),
            ranges: try fields.heldRanges(at: revision), at: try fields.optionalNatural("at"),
            rows: try fields.heldRows(), sums: try fields.heldSums())
    }

    /// Reads the `sums` of a `resume`.
    private func heldSums() throws(WireError) -> RowSums? {
        guard optional("sums") != nil else { return nil }
        guard optional("rows") == nil else { throw error("sums", "came together with `rows`: send one of the two") }
        guard let sums = RowSums(try text("sums").utf8) else {
            throw error("sums", "must be \(RowSums.count * RowSums.digits) hexadecimal digits in lower case")
        }
        return sums
    }

    /// Reads the `rows` of a `resume`.
    private func heldRows() throws(WireError) -> [Resume.HeldRow]? {
        guard optional("rows") != nil else { return nil }
        var rows: [Resume.HeldRow] = []
        for value in try elements("rows") {
            guard let pair = value.elements, pair.count == 2, let id = pair[0].string, let text = pair[1].string,
                let tag = UniqueID(text)
            else { throw error("rows", "\(Quotation.clipped(value.source)) is not a row, must be [ID,TAG]") }
            rows.append(Resume.HeldRow(id: id, tag: tag))
        }
        return rows
    }

    /// Reads the `ranges` of a `resume`.
    private func heldRanges(at revision: Revision) throws(WireError) -> [SortKeys]? {
        guard optional("ranges") != nil else { return nil }
        let values = try elements("ranges")
        guard (1...Resume.mostRanges).contains(values.count) else {
            throw error("ranges", "has \(values.count) ranges, must have 1 to \(Resume.mostRanges)")
        }
        var ranges: [SortKeys] = []
        for value in values {
            guard let pair = value.elements?.map(\.natural), pair.count == 2, let from = pair[0], let to = pair[1],
                from <= to
            else { throw error("ranges", "\(Quotation.clipped(value.source)) is not a range, must be [FROM,TO]") }
            if let last = ranges.last, last.upperBound >= from {
                throw error("ranges", "\(Quotation.clipped(value.source)) does not come after the range before it")
            }
            ranges.append(from...to)
        }
        guard ranges.last?.upperBound == revision else {
            throw error("ranges", "the last one must end at `revision`, which is \(revision)")
        }
        return ranges
    }

    func pagePlace() throws(WireError) -> PagePlace {
        let around = optional("around")
        switch (try optionalNatural("before"), try optionalNatural("after"), around) {
        case (let before?, nil, nil): return .before(before)
        case (nil, let after?, nil): return .after(after)
        case (let before?, let after?, nil):
            guard after < before else { throw error("after", "\(after) is not below `before`, which is \(before)") }
            return .between(after: after, before: before)
        case (nil, nil, let around?): return .around(try Fields(around, path: "around").anchor())
        case (nil, nil, nil): throw missing("before", "as are `after` and `around`: must have one of them")
        case (_, _, .some): throw error("around", "came together with `before` or `after`: send one of the two")
        }
    }

    private func anchor() throws(WireError) -> PagePlace.Anchor {
        switch (try optionalID("id"), try optionalNatural("revision"), try optionalMilliseconds("time")) {
        case (let id?, nil, nil): return .id(id)
        case (nil, let revision?, nil): return .revision(revision)
        case (nil, nil, let time?): return .time(time)
        default: throw error("id", "there must be exactly one of `id`, `revision` and `time`")
        }
    }

    /// Reads the `ranges` of a diff.
    func ranges() throws(WireError) -> [ListRange]? {
        guard optional("ranges") != nil else { return nil }
        let values = try elements("ranges")
        var ranges: [ListRange] = []
        for (index, value) in values.enumerated() {
            let range = try Fields(value, path: "ranges", index: index)
            ranges.append(try range.range(after: ranges.last, isLast: index == values.count - 1))
        }
        guard !ranges.isEmpty else { throw error("ranges", "is empty, must have the end of the list") }
        return ranges
    }

    private func range(after last: ListRange?, isLast: Bool) throws(WireError) -> ListRange {
        let from = try natural("from")
        if isLast, optional("to") != nil { throw error("to", "must be missing: the last range ends with the list") }
        let to = isLast ? nil : try natural("to")
        guard to.map({ from <= $0 }) ?? true else { throw error("to", "is below `from`, which is \(from)") }
        if let last, last.keys.upperBound >= from { throw error("from", "\(from) is not after the range before it") }
        let isProven = optional("count") != nil || optional("digest") != nil
        return ListRange(from...(to ?? .max), proof: isProven ? try proof() : nil)
    }
}

extension ListRange {
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.number("from", keys.lowerBound)
            if keys.upperBound != .max { json.number("to", keys.upperBound) }
            if let proof { json.proof(proof) }
        }
    }
}
