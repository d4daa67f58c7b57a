extension String {
    /// Returns the first control character that is not one of `allowed`.
    ///
    /// The characters from 0x80 to 0x9F count too: some of them steer terminals as ESC does.
    func firstControlCharacter(but allowed: [UInt8] = []) -> UInt8? {
        var last: UInt8 = 0
        for byte in utf8 {
            if byte < 0x20, !allowed.contains(byte) { return byte }
            // UTF-8 writes 0x80 to 0x9F as themselves after 0xC2, and 0xC2 always begins two bytes.
            if byte == 0x7F || last == 0xC2 && byte < 0xA0 { return byte }
            last = byte
        }
        return nil
    }
}
