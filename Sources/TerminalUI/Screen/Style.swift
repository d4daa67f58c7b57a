/// How a piece of text looks, by what it means; ``Palette`` says in which colours.
package struct Style: Hashable, Sendable {
    package enum Hue: Hashable, Sendable {
        case text
        /// What is there to be looked up, not to be read.
        case faint
        case accent
        case good
        case warning
        case bad
        /// One of the hues by which people are told apart; any number will do.
        case person(Int)
        /// What has just come, the freshest first: 2, 1, 0.
        case fresh(Int)
    }

    /// What is behind the text.
    package enum Ground: Hashable, Sendable {
        /// Whatever the terminal has.
        case screen
        /// A line that divides the screen.
        case bar
        /// What was chosen.
        case selection
        /// What was searched for.
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
