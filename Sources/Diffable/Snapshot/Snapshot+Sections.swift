extension Snapshot {
    /// Appends empty sections. O(1) amortised each.
    ///
    /// - Errors: stops at a section that exists already, or is given twice.
    @inlinable
    public mutating func appendSections(
        _ sections: [Section], file: StaticString = #fileID, line: UInt = #line
    ) {
        for section in sections { appendSection(section, CallSite(file, line)) }
    }

    /// Inserts empty sections before `anchor`. O(sections).
    ///
    /// - Errors: stops at an unknown anchor, and at a section that exists already, or is given twice.
    @inlinable
    public mutating func insertSections(
        _ sections: [Section], beforeSection anchor: Section, file: StaticString = #fileID, line: UInt = #line
    ) {
        let caller = CallSite(file, line)
        insert(sections, at: slots[known(anchor, "insertSections(_:beforeSection:)", caller)].position, caller)
    }

    /// Inserts empty sections after `anchor`. O(sections).
    ///
    /// - Errors: stops at an unknown anchor, and at a section that exists already, or is given twice.
    @inlinable
    public mutating func insertSections(
        _ sections: [Section], afterSection anchor: Section, file: StaticString = #fileID, line: UInt = #line
    ) {
        let caller = CallSite(file, line)
        insert(sections, at: slots[known(anchor, "insertSections(_:afterSection:)", caller)].position + 1, caller)
    }

    /// Deletes sections, their items and all their marks. Unknown identifiers are ignored.
    ///
    /// - Complexity: O(sections + items deleted).
    @inlinable
    public mutating func deleteSections(_ sections: [Section]) {
        var gone: Set<Int> = []
        for section in sections {
            guard let token = token(of: section), gone.insert(token).inserted else { continue }
            tokens[section] = nil
            removeRows(of: token)
            sectionMarks.remove(section)
            freeTokens.append(token)
        }
        order.removeAll(where: gone.contains)
        for token in gone { names[token] = nil }
        if order.count <= PrefixSums.few { tokens = [:] }
        renumber()
    }

    /// Moves `section` with its items before `anchor`. Moving a section beside itself changes nothing.
    ///
    /// - Errors: stops at an unknown section or anchor.
    /// - Complexity: O(sections).
    @inlinable
    public mutating func moveSection(
        _ section: Section, beforeSection anchor: Section, file: StaticString = #fileID, line: UInt = #line
    ) {
        move(section, beside: anchor, offset: 0, CallSite(file, line))
    }

    /// Moves `section` with its items after `anchor`. Moving a section beside itself changes nothing.
    ///
    /// - Errors: stops at an unknown section or anchor.
    /// - Complexity: O(sections).
    @inlinable
    public mutating func moveSection(
        _ section: Section, afterSection anchor: Section, file: StaticString = #fileID, line: UInt = #line
    ) {
        move(section, beside: anchor, offset: 1, CallSite(file, line))
    }
}

extension Snapshot {
    @inlinable
    mutating func insert(_ sections: [Section], at position: Int, _ caller: CallSite) {
        for (offset, section) in sections.enumerated() { _ = place(section, at: position + offset, caller) }
        renumber()
    }

    @inlinable
    @discardableResult
    mutating func appendSection(_ section: Section, _ caller: CallSite) -> Int {
        let token = place(section, at: order.count, caller)
        starts.append(0)
        return token
    }

    /// Gives an empty section a token and a place. The caller updates ``starts`` and the places of later sections.
    @inlinable
    mutating func place(_ section: Section, at position: Int, _ caller: CallSite) -> Int {
        if self.token(of: section) != nil { misuse("Section \(section) is in the snapshot already", caller) }
        let slot = Slot(position: position)
        let token = freeTokens.popLast() ?? slots.count
        if token == slots.count {
            slots.append(slot)
            names.append(section)
        } else {
            slots[token] = slot
            names[token] = section
        }
        if token == 0, order.isEmpty { order = FirstPage.order } else { order.insert(token, at: position) }
        noteToken(token)
        return token
    }

    @inlinable
    mutating func noteToken(_ token: Int) {
        guard order.count > PrefixSums.few else { return }
        for token in tokens.isEmpty ? order : [token] { tokens[name(token)] = token }
    }

    @inlinable
    mutating func move(_ section: Section, beside anchor: Section, offset: Int, _ caller: CallSite) {
        let token = known(section, "the section of a move", caller)
        let target = known(anchor, "the anchor of a move", caller)
        if token == target { return }
        order.remove(at: slots[token].position)
        let position = slots[target].position - (slots[target].position > slots[token].position ? 1 : 0)
        order.insert(token, at: position + offset)
        renumber()
    }

    /// Updates the places of the sections after their order has changed.
    @inlinable
    mutating func renumber() {
        for (position, token) in order.enumerated() { slots[token].position = position }
        starts = PrefixSums(order.map { slots[$0].count })
    }
}
