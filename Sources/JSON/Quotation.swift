/// Quotes other people's text in messages for a person.
package enum Quotation {
    /// Returns at most 40 characters, without any that could change how the rest looks.
    package static func clipped(_ text: String) -> String {
        var quoted = ""
        for scalar in text.unicodeScalars.prefix(40) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: quoted += "\u{FFFD}"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return text.unicodeScalars.count > 40 ? quoted + "…" : quoted
    }
}
