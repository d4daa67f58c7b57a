import ChatWire

extension Operation {
    /// Returns the outcome for an operation whose command was used for another one.
    ///
    /// In a private or direct room, whoever may not do this is told only that: a private room's name holds a command's id,
    /// so a conflict would tell that the room exists.
    package func conflict(under base: FoldBase) -> CommitOutcome {
        guard base.kind != .open else { return .conflict }
        do throws(Refusal) {
            try requireRight(under: base)
            return .conflict
        } catch {
            if case .notGranted = error { return .refused(error) }
            return .conflict
        }
    }
}
