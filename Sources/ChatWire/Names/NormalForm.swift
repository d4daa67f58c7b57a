extension String {
    /// True when the text is in Unicode's normal form C. No equivalent text in that form has other bytes.
    ///
    /// Only input is checked. Stored text is not, because a later Unicode knows more characters.
    ///
    /// - Complexity: O(characters); ASCII is checked byte by byte.
    /// - Source: Unicode Standard Annex #15, definitions D108, D115 and D117.
    package var isNormalised: Bool {
        if utf8.allSatisfy({ $0 < 0x80 }) { return true }
        var starter: UInt32?
        var last = Unicode.CanonicalCombiningClass.notReordered
        var isBehindStarter = false
        for scalar in unicodeScalars {
            let order = scalar.properties.canonicalCombiningClass
            if Compositions.isReplaced(scalar.value) { return false }
            if order != .notReordered, order < last { return false }
            // A mark in between blocks the composition if it has the same class, or if this character is no mark.
            let isBlocked = !isBehindStarter && (last == order || last > order)
            if let starter, !isBlocked, Compositions.compose(starter, scalar) { return false }
            if order == .notReordered { starter = scalar.value }
            isBehindStarter = order == .notReordered
            last = order
        }
        return true
    }
}

extension Compositions {
    fileprivate static func isReplaced(_ scalar: UInt32) -> Bool {
        var places = replaced.indices
        while !places.isEmpty {
            let middle = places.lowerBound + places.count / 2
            if replaced[middle].contains(scalar) { return true }
            places =
                replaced[middle].upperBound < scalar
                ? middle + 1..<places.upperBound : places.lowerBound..<middle
        }
        return false
    }

    /// The two parts of each composed character that has no shorter form.
    private static let parts: [UInt32: (first: UInt32, mark: UInt32)] = pairs.reduce(into: [:]) { parts, pairs in
        for (first, composed) in pairs.value { parts[composed] = (first, pairs.key) }
    }

    /// Returns whether a character composes with the starter before it, or with a part of that starter.
    ///
    /// A mark sorts before marks of higher classes, including those that are composed into the starter.
    fileprivate static func compose(_ starter: UInt32, _ second: Unicode.Scalar) -> Bool {
        if Hangul.compose(starter, second.value) { return true }
        guard let firsts = pairs[second.value] else { return false }
        let order = second.properties.canonicalCombiningClass
        var first = starter
        while firsts[first] == nil {
            guard order != .notReordered, let (rest, mark) = parts[first],
                let held = Unicode.Scalar(mark)?.properties.canonicalCombiningClass, held > order
            else { return false }
            first = rest
        }
        return true
    }

    /// - Source: The Unicode Standard, section 3.12.
    private enum Hangul {
        static func compose(_ first: UInt32, _ second: UInt32) -> Bool {
            let isOpen = (0xAC00...0xD7A3).contains(first) && (first - 0xAC00).isMultiple(of: 28)
            return (0x1100...0x1112).contains(first) && (0x1161...0x1175).contains(second)
                || isOpen && (0x11A8...0x11C2).contains(second)
        }
    }
}
