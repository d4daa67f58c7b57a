/// Other people's text, made harmless for a terminal: nothing in it moves the cursor, starts an escape sequence, or
/// shows characters in another order than they stand in.
///
/// Control characters become their pictures (␛), a tabulator a space; what reorders or hides text becomes its number.
/// Line breaks of all kinds become `\n`.
func harmless(_ text: String) -> String {
    var safe = String.UnicodeScalarView()
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
        defer { previous = scalar }
        switch scalar.value {
        case 0x0A where previous == "\r": break  // one line break, not two
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: safe.append("\n")
        case 0x09: safe.append(" ")
        case 0..<0x20: safe.append(picture(of: scalar))
        case 0x7F: safe.append("\u{2421}")
        case _ where isTreacherous(scalar.value):
            safe.append(contentsOf: "<U+\(String(scalar.value, radix: 16, uppercase: true))>".unicodeScalars)
        default: safe.append(scalar)
        }
    }
    return String(safe)
}

/// The same, in one line.
func harmlessLine(_ text: String) -> String {
    harmless(text).replacing("\n", with: " ")
}

private func picture(of control: Unicode.Scalar) -> Unicode.Scalar {
    Unicode.Scalar(0x2400 + control.value) ?? "\u{FFFD}"
}

/// Characters of the upper control range, those that set the direction of text, and those that show nothing but are no
/// part of a script or an emoji.
private func isTreacherous(_ value: UInt32) -> Bool {
    switch value {
    case 0x80...0x9F, 0x061C, 0x180E, 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x206F, 0xFEFF,
        0xFFF9...0xFFFB, 0xE0001:
        true
    default: false
    }
}
