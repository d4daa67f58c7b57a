extension FlagValues {
    /// Notes flags that are missing, or that do not go with others.
    mutating func noteRelations() {
        for flag in program.flags {
            for trait in flag.traits { noteRelation(of: flag, trait) }
        }
    }

    /// Notes a relation that does not hold. If two flags exclude each other, only one of them is read any further.
    private mutating func noteRelation(of flag: Flag, _ trait: Flag.Trait) {
        switch trait {
        case .required:
            if lacks(flag.name) { note(.missingValue(flag.name, flag.value ?? ""), about: [flag.name]) }
        case .requiredUnless(let other):
            if lacks(flag.name), lacks(other) { refuse(flag, "is needed, or \(program.flag(other).synopsis)") }
        case .needs(let other):
            if isGiven(flag.name), lacks(other) { refuse(flag, "needs \(program.flag(other).synopsis)") }
        case .excludes(let other):
            guard isGiven(flag.name), isGiven(other) else { return }
            refuse(flag, "cannot be given together with --\(other)")
            given[flag.name] = nil
        case .repeatable, .secret, .live, .file, .choice, .request, .hidden: break
        }
    }

    private mutating func refuse(_ flag: Flag, _ rule: String) {
        note(located(.badValue(flag.name, given[flag.name]?.texts.last ?? "", rule)), about: [flag.name])
    }

    private func isGiven(_ name: String) -> Bool {
        given[name]?.texts.isEmpty == false
    }

    /// Returns whether the flag is certainly not given: not even a wrong value.
    private func lacks(_ name: String) -> Bool {
        !isGiven(name) && !isLost(name)
    }
}
