/// The sequences of emoji that are drawn as one when U+200D joins them. In any other sequence that character is invisible.
///
/// - Source: `emoji-zwj-sequences.txt` of Emoji 17, with some of its persons exchanged.
enum JoinedEmoji {
    /// Returns whether such a sequence is drawn as one.
    ///
    /// - Parameter sequence: without U+200D, U+FE0F and skin tones.
    static func contains(_ sequence: [Unicode.Scalar]) -> Bool {
        all.contains { pattern in
            pattern.count == sequence.count && zip(pattern, sequence).allSatisfy { $0.contains($1) }
        }
    }

    /// For each place the emoji that may stand there.
    private static let all = patterns.map { $0.map(\.unicodeScalars) }

    private static let people = "👨👩🧑"
    private static let peopleWithSigns =
        "⛹🏃🏄🏊🏋🏌👮👯👰👱👳👷💁💂💆💇🕵🙅🙆🙇🙋🙍🙎🚣🚴🚵🚶🤦🤵🤷🤸🤹🤼🤽🤾🦸🦹🧍🧎🧏🧔🧖🧗🧘🧙🧚🧛🧜🧝🧞🧟"
    private static let callings = "⚕⚖✈🌾🍳🍼🎓🎤🎨🏫🏭💻💼🔧🔬🚀🚒🦯🦰🦱🦲🦳🦼🦽"

    private static let patterns: [[String]] = [
        [peopleWithSigns, "♀♂"], ["🏃🚶🧎", "➡"], ["🏃🚶🧎", "♀♂", "➡"],
        [people, callings], [people, "🦯🦼🦽", "➡"], ["🧑", "🎄🩰"],
        [people, "❤", people], [people, "❤", "💋", people], [people, "🐰🤝\u{1FAEF}", people], ["🫱", "🫲"],
        ["👨👩", "👦👧"], ["👨👩", "👨👩", "👦👧"], ["👨👩", "👦👧", "👦👧"], ["👨👩", "👨👩", "👦👧", "👦👧"],
        ["🧑", "🧒"], ["🧑", "🧒", "🧒"], ["🧑", "🧑", "🧒"], ["🧑", "🧑", "🧒", "🧒"],
        ["🏳", "🌈⚧"], ["🏴", "☠"], ["👁", "🗨"], ["❤", "🔥🩹"], ["⛓", "💥"],
        ["😮", "💨"], ["😵", "💫"], ["😶", "🌫"], ["🙂", "↔↕"],
        ["🐕", "🦺"], ["🐈🐦", "⬛"], ["🐦", "🔥"], ["🐻", "❄"], ["🍋", "🟩"], ["🍄", "🟫"],
    ]
}
