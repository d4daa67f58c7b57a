/// The colours and attributes of each style on a terminal with a number of colours.
package struct Palette: Sendable {
    /// The attributes for curses. Colours are numbers, and -1 is the terminal's own.
    package struct Look: Hashable, Sendable {
        package var foreground = -1
        package var background = -1
        package var isBold = false
        package var isDim = false
        package var isItalic = false
        package var isUnderlined = false
        package var isReversed = false
    }

    package enum Depth: Sendable {
        /// No colour: the terminal has none, or `NO_COLOR` is set.
        case none
        /// The eight colours that every colour terminal has.
        case eight
        case many
    }

    package let depth: Depth

    package init(_ depth: Depth) {
        self.depth = depth
    }

    package func look(of style: Style) -> Look {
        var look =
            switch depth {
            case .none: plain(style)
            case .eight: eight(style)
            case .many: many(style)
            }
        if style.traits.contains(.bold) { look.isBold = true }
        look.isItalic = style.traits.contains(.italic)
        look.isUnderlined = look.isUnderlined || style.traits.contains(.underline)
        return look
    }

    private func plain(_ style: Style) -> Look {
        var look = Look()
        switch style.hue {
        case .text: break
        case .faint: look.isDim = style.ground == .screen
        case .accent, .good, .warning, .bad, .person, .fresh: look.isBold = true
        }
        switch style.ground {
        case .screen: break
        case .bar, .selection: look.isReversed = true
        case .found: look.isUnderlined = true
        }
        return look
    }

    private func eight(_ style: Style) -> Look {
        var look = Look()
        look.foreground =
            switch style.hue {
            case .text: style.ground == .screen ? -1 : 7
            case .faint: style.ground == .screen ? 6 : 7
            case .accent: 6
            case .good: 2
            case .warning: 3
            case .bad: 1
            case .person(let number): [1, 2, 3, 5, 6][number % 5]
            case .fresh: 3
            }
        look.background = style.ground == .screen ? -1 : style.ground == .found ? 3 : 4
        if style.ground == .found { look.foreground = 0 }
        return look
    }

    /// Returns colours that are readable on black and on white, for text on the terminal's own background.
    private func many(_ style: Style) -> Look {
        var look = Look()
        let isOnScreen = style.ground == .screen
        look.foreground =
            switch style.hue {
            case .text: isOnScreen ? -1 : 253
            case .faint: isOnScreen ? 244 : 248
            case .accent: isOnScreen ? 32 : 117
            case .good: isOnScreen ? 35 : 114
            case .warning: isOnScreen ? 172 : 221
            case .bad: isOnScreen ? 167 : 210
            case .person(let number): people[number % people.count]
            case .fresh(let freshness): [240, 136, 214][min(2, max(0, freshness))]
            }
        look.background =
            switch style.ground {
            case .screen: -1
            case .bar: 236
            case .selection: 238
            case .found: 221
            }
        if style.ground == .found { look.foreground = 16 }
        return look
    }

    private var people: [Int] { [33, 37, 71, 107, 133, 136, 141, 166, 168, 173, 99, 65] }
}
