package import ChatWire

extension ListDiff<Message> {
    /// Returns the diff with all reactions of a row in place of each patch.
    ///
    /// - Parameter states: those of the list from the revision at which the diff begins to that at which it ends. A page may
    ///   have brought a row as it was in any of them. If a patch leads to several results, the result has them all.
    package func resolved<States: Sequence>(in states: States) -> ListDiff<Message>
    where States.Element: Sequence<Message> {
        var resolved = self
        resolved.patches = []
        let states = Array(states)
        for change in patches {
            var results: [Message.Light] = []
            for row in states.compactMap({ rows in rows.first { $0.id == change.id } }) {
                var light = row.light
                if row.rev < change.rev { change.patch.apply(to: &light) }
                if !results.contains(light) { results.append(light) }
            }
            resolved.reconfigurations += results.map {
                ListReconfiguration(id: change.id, rev: change.rev, light: $0)
            }
        }
        return resolved
    }
}
