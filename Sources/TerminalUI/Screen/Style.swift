/// The style of a text, by its meaning. ``Palette`` has the colours.
package struct Style: Hashable, Sendable {
    package enum Hue: Hashable, Sendable {
        case text
        /// Text to look up rather than to read.
        case faint
        case accent
        case good
        case warning
        case bad
        /// One of the hues that distinguish people, by any number.
        case person(Int)
        /// A new row's mark, the freshest first: 2, 1, 0.
        case fresh(Int)
    }

    /// The background of a text.
    package enum Ground: Hashable, Sendable {
        /// The terminal's own background.
        case screen
        /// A line that divides the screen.
        case bar
        /// The selection.
        case selection
        /// A search result.
        case found
    }

    package struct Traits: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let bold = Traits(rawValue: 1)
        package static let italic = Traits(rawValue: 2)
        package static let underline = Traits(rawValue: 4)
    }

    package var hue: Hue
    package var ground: Ground
    package var traits: Traits

    package init(_ hue: Hue = .text, on ground: Ground = .screen, _ traits: Traits = []) {
        self.hue = hue
        self.ground = ground
        self.traits = traits
    }

    package static let text = Style()
    package static let faint = Style(.faint)
}
