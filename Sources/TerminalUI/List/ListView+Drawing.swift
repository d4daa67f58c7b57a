import Diffable

extension ListView {
    /// Draws the window's lines from its top. If they do not fill the window, they stand at its bottom.
    ///
    /// - Complexity: O(rows of the window), besides making the cells that enter it.
    package func draw() -> [Line] {
        let snapshot = snapshot
        var lines: [Line] = []
        for slice in viewport.slices(of: blocks) {
            guard let block = snapshot.block(at: slice.block) else { continue }
            lines += all(block, snapshot)[slice.lines]
            if case .item(let item) = block { noteSeen(item, snapshot) }
        }
        let empty = Line(String(repeating: " ", count: size.columns))
        return Array(repeating: empty, count: max(0, size.rows - lines.count)) + lines
    }

    private func noteSeen(_ item: Item, _ snapshot: Snapshot<Section, Item>) {
        guard let last = lastSeen, let lastIndex = snapshot.indexOfItem(last) else {
            lastSeen = item
            return
        }
        if let index = snapshot.indexOfItem(item), index > lastIndex { lastSeen = item }
    }

    /// Returns a block's lines and the remains of deleted rows below it, with the margin.
    private func all(_ block: Block, _ snapshot: Snapshot<Section, Item>) -> [Line] {
        let own = own(block, snapshot)
        let ghosts =
            ghosts[block]?.flatMap { ghost in ghost.lines.map { margin("✕", .bad, of: $0, on: .screen) } } ?? []
        switch block {
        case .header: return own + ghosts
        case .item(let item): return own.map { withMargin($0, item) } + ghosts
        }
    }

    private func withMargin(_ line: Line, _ item: Item) -> Line {
        let ground: Style.Ground = item == selection ? .selection : .screen
        guard let mark = marks[item] else {
            return margin(item == selection ? "▌" : " ", .accent, of: line, on: ground)
        }
        let sign =
            switch mark.cause {
            case .inserted: "▌"
            case .moved: "↕"
            case .reloaded: "✎"
            }
        return margin(sign, .fresh(mark.freshness), of: line, on: ground)
    }

    private func margin(_ sign: String, _ hue: Style.Hue, of line: Line, on ground: Style.Ground) -> Line {
        var result = Line(sign, Style(hue))
        result.append(line)
        return ground == .screen ? result : result.on(ground)
    }
}
