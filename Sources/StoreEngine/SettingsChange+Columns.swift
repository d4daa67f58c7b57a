import ChatWire

/// A change of settings as columns of an operation's row. The first is the place of a pinned room, 0 for none. The
/// second has the other settings, as words such as `+muted -archived`.
extension SettingsChange {
    private static var words: [(word: String, setting: WritableKeyPath<SettingsChange, Bool?>)] {
        [("muted", \.isMuted), ("archived", \.isArchived), ("marked", \.isMarked)]
    }

    var pin: Int64? {
        switch pinned {
        case .at(let place): Int64(place)
        case .off: 0
        case nil: nil
        }
    }

    /// `nil` if the change is about the pin only.
    var switches: String? {
        let words = Self.words.compactMap { word, setting in self[keyPath: setting].map { ($0 ? "+" : "-") + word } }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// - Returns: `nil` for columns that no change has.
    init?(pin: Int64?, switches: String) {
        self.init()
        if let pin {
            guard let place = UInt64(exactly: pin), place == 0 || Self.places.contains(place) else { return nil }
            pinned = place == 0 ? .off : .at(place)
        }
        for word in switches.split(separator: " ") {
            guard let (_, setting) = Self.words.first(where: { $0.word == word.dropFirst() }) else { return nil }
            self[keyPath: setting] = word.first == "+"
        }
        guard self != SettingsChange(), self.switches ?? "" == switches else { return nil }
    }
}
