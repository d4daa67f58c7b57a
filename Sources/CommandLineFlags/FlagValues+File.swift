import JSON

extension FlagValues {
    /// All settings as a file for `--config`. Secrets are masked, and settings without a value are left out.
    var file: String {
        let lines = settings.compactMap { flag in json(flag).map { "  \"\(flag.name)\": \($0)" } }
        return "{\n\(lines.joined(separator: ",\n"))\n}"
    }

    /// A line for each setting that was given, with its source.
    var sources: String {
        settings.compactMap { flag in given[flag.name].map { "\(flag.name) from \($0.source)" } }
            .joined(separator: "\n")
    }

    private var settings: [Flag] {
        program.flags.filter { !$0.has(.request) && $0.name != "config" }
    }

    private func json(_ flag: Flag) -> String? {
        let texts = all(flag.name)
        var writer = JSONWriter()
        if flag.value == nil {
            writer.boolean(nil, !texts.isEmpty)
        } else if flag.has(.repeatable) {
            writer.array(nil, texts) { $0.write($1, of: flag) }
        } else if let text = texts.last {
            writer.write(text, of: flag)
        } else {
            return nil
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONWriter {
    /// Writes a value as a number if reading that back gives the same text.
    fileprivate mutating func write(_ text: String, of flag: Flag) {
        if flag.has(.secret) {
            string(nil, FlagError.mask)
        } else if let number = Int64(text), number.magnitude < JSONValue.integerLimit, "\(number)" == text {
            self.number(nil, number)
        } else {
            string(nil, text)
        }
    }
}
