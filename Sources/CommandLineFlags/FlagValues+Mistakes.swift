extension FlagValues {
    /// Notes a mistake in a source. Without it, these flags might have had other values.
    mutating func note(_ fault: FlagError, about flags: [String]) {
        faults.append(fault)
        refused.formUnion(flags)
    }

    /// Removes a wrong value, so that the others can be read.
    ///
    /// - Returns: false if it was not given.
    mutating func refuse(_ error: FlagError) -> Bool {
        switch error {
        case .badValue(let name, let text, _, _): return refuse(text, of: name)
        case .badOperand(let text, _):
            operands.removeAll { $0 == text }
            return true
        default: return false
        }
    }

    private mutating func refuse(_ text: String, of name: String) -> Bool {
        refused.insert(name)
        guard let setting = given.removeValue(forKey: name) else { return false }
        let others = setting.texts.filter { $0 != text }
        if !others.isEmpty, others.count < setting.texts.count {
            given[name] = Setting(texts: others, source: setting.source)
        }
        return true
    }

    /// Returns whether the flag has no value only because of a mistake. A file that cannot be read may have set any.
    func isLost(_ name: String) -> Bool {
        given[name] == nil && !refused.isDisjoint(with: [name, "config"])
    }

    /// Returns whether the error may vanish when another mistake is corrected.
    func isConsequence(_ error: FlagError) -> Bool {
        switch error {
        case .badValue(let name, _, _, let others): ([name] + others).contains(where: isLost)
        case .missingValue(let name, _): isLost(name)
        default: false
        }
    }

    /// Returns the error with the place that the value came from, and without a secret.
    func located(_ error: FlagError) -> FlagError {
        guard case .badValue(let name, let text, let rule, _) = error else { return error }
        let shown = program.flag(name).has(.secret) ? FlagError.mask : text
        switch given[name]?.source {
        case nil, .commandLine: return .badValue(name, shown, rule)
        case .environment(let variable): return .badVariable(variable, shown, rule)
        case .file(let path, let line): return .badFile(path, line: line, "\(name): '\(shown)' \(rule)")
        }
    }
}
