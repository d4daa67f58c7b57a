package import ChatWire

extension ListDiff<Message> {
    /// Returns the diff with the whole content of a row, or all of its reactions, in place of each patch.
    ///
    /// - Parameter states: those of the list from the revision at which the diff begins to that at which it ends. A page may
    ///   have brought a row as it was in any of them. If a patch leads to several results, the result has them all.
    package func resolved<States: Sequence>(in states: States) -> ListDiff<Message>
    where States.Element: Sequence<Message> {
        var resolved = self
        resolved.patches = []
        let states = Array(states)
        for change in patches {
            var results: [Message] = []
            for row in states.compactMap({ rows in rows.first { $0.id == change.id } }) {
                var result = row
                if row.rev < change.rev { _ = change.patch.apply(to: &result) }
                result.rev = change.rev
                if change.patch.growth == nil { result.content = "" }
                if !results.contains(where: { $0.content == result.content && $0.light == result.light }) {
                    results.append(result)
                }
            }
            if change.patch.growth != nil {
                resolved.reloads += results
            } else {
                resolved.reconfigurations += results.map {
                    ListReconfiguration(id: change.id, rev: change.rev, light: $0.light)
                }
            }
        }
        return resolved
    }
}
