extension String {
    /// True when the text is one emoji, by Unicode's sequences.
    ///
    /// An emoji that some programs draw as text has U+FE0F, so that one that looks the same is the same.
    ///
    /// - Source: Unicode Technical Standard #51, the set `RGI_Emoji`, by the Unicode version that this program was built
    ///   with. Which persons of a family have which skin tones is not looked at.
    package var isEmoji: Bool {
        let scalars = Array(unicodeScalars)
        if scalars.count == 2, scalars.allSatisfy(\.isRegionalIndicator) { return Flags.contains(scalars) }
        if scalars.last == .tagEnd { return Flags.subdivisions.contains(scalars) }
        if scalars.count == 3, scalars[2] == .keycap { return scalars[0].isKeycapBase && scalars[1] == .emojiSelector }
        if scalars.count == 2, scalars[1] == .emojiSelector, scalars[0].isSign { return true }
        return !scalars.contains(where: \.isRegionalIndicator) && scalars.isJoinedOrSingleEmoji
    }
}

extension [Unicode.Scalar] {
    /// Returns whether a joiner is part of a sequence that is drawn as one emoji.
    func joinsEmoji(at place: Int) -> Bool {
        guard let end = endOfEmoji(at: place + 1), var start = startOfEmoji(before: place) else { return false }
        var sequence = [self[start], self[place + 1]]
        while start > 0, self[start - 1] == .joiner {
            guard let before = startOfEmoji(before: start - 1) else { return false }
            start = before
            sequence.insert(self[start], at: 0)
        }
        var next = end
        while next < count, self[next] == .joiner {
            guard let end = endOfEmoji(at: next + 1) else { return false }
            sequence.append(self[next + 1])
            next = end
        }
        return JoinedEmoji.contains(sequence)
    }

    /// Returns the end of the emoji at a place: without a selector or a skin tone it must be one by itself.
    fileprivate func endOfEmoji(at place: Int) -> Int? {
        guard place < count else { return nil }
        if place + 1 < count, self[place].accepts(self[place + 1]) { return place + 2 }
        return self[place].properties.isEmojiPresentation ? place + 1 : nil
    }

    /// Returns the start of the emoji before a place.
    private func startOfEmoji(before place: Int) -> Int? {
        if place > 1, endOfEmoji(at: place - 2) == place { return place - 2 }
        return place > 0 && endOfEmoji(at: place - 1) == place ? place - 1 : nil
    }

    /// Returns whether a selector turns a text symbol into an emoji, or begins a keycap.
    func selectsEmoji(at place: Int) -> Bool {
        guard place > 0 else { return false }
        let next = place + 1 < count ? self[place + 1] : nil
        if self[place - 1].isASCII { return self[place - 1].isKeycapBase && next == .keycap }
        return self[place - 1].accepts(.emojiSelector) && next?.properties.isEmojiModifier != true
    }

    /// Returns whether the U+FE0F at a place follows a character that is an emoji without it: ☕ and U+FE0F.
    func repeatsLook(at place: Int) -> Bool {
        place > 0 && self[place] == .emojiSelector && self[place - 1].properties.isEmojiPresentation
    }

    fileprivate var isJoinedOrSingleEmoji: Bool {
        var sequence: [Unicode.Scalar] = []
        var place = 0
        while let end = endOfEmoji(at: place) {
            sequence.append(self[place])
            if end == count { return sequence.count == 1 || JoinedEmoji.contains(sequence) }
            guard self[end] == .joiner else { return false }
            place = end + 1
        }
        return false
    }
}

extension Unicode.Scalar {
    static let joiner: Unicode.Scalar = "\u{200D}"
    static let emojiSelector: Unicode.Scalar = "\u{FE0F}"
    static let keycap: Unicode.Scalar = "\u{20E3}"
    fileprivate static let tagEnd: Unicode.Scalar = "\u{E007F}"

    var isKeycapBase: Bool { isASCII && properties.isEmoji }

    fileprivate var isRegionalIndicator: Bool { (0x1F1E6...0x1F1FF).contains(value) }

    /// True for `©`, `®` and `™`, which are text unless a selector follows.
    fileprivate var isSign: Bool { ["©", "®", "™"].contains(self) }

    /// Returns whether a selector or a skin tone changes how the character is drawn. `™` and its like stay text.
    fileprivate func accepts(_ next: Unicode.Scalar) -> Bool {
        guard next == .emojiSelector else { return next.properties.isEmojiModifier && properties.isEmojiModifierBase }
        return properties.isEmoji && !properties.isEmojiPresentation && !isSign && !isASCII
    }
}

/// The flags among the emoji.
private enum Flags {
    /// Returns whether two regional indicators are the flag of a region.
    static func contains(_ pair: [Unicode.Scalar]) -> Bool {
        let letters = pair.compactMap { Unicode.Scalar($0.value - 0x1F1E6 + 0x41).map(Character.init) }
        return regions.contains(Substring(String(letters)))
    }

    /// The flags of England, Scotland and Wales.
    static let subdivisions = Set(
        ["gbeng", "gbsct", "gbwls"].map { code in
            let tags = code.unicodeScalars.compactMap { Unicode.Scalar($0.value + 0xE0000) }
            return ["\u{1F3F4}"] + tags + [Unicode.Scalar.tagEnd]
        })

    private static let regions = Set(codes.split(whereSeparator: \.isWhitespace))

    /// - Source: `emoji-sequences.txt` of Emoji 17.
    private static let codes = """
        AC AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW
        BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CP CQ CR CU CV CW CX CY CZ DE DG DJ DK DM DO DZ EA EC EE EG EH ER
        ES ET EU FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU IC ID
        IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA
        MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA
        PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST
        SV SX SY SZ TA TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM UN US UY UZ VA VC VE VG VI VN VU WF
        WS XK YE YT ZA ZM ZW
        """
}
