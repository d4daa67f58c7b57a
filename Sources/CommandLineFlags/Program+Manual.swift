import Glibc

extension Program {
    /// Returns the manual page, for man(1).
    ///
    /// - Parameter date: seconds since 1970, which a reproducible build passes; by default now.
    /// - Source: groff_man(7).
    func manual(version: String, date: String?) -> String {
        let flags = flags.filter { !$0.has(.hidden) }
        return """
            .TH \(title.uppercased()) \(section) "\(day(date))" "Diffroom \(version)" "Diffroom"
            .SH NAME
            \(roff(title)) \\- \(roff(summary))
            .SH SYNOPSIS
            .B \(roff(name))
            .RI [ flags ]\(operands.isEmpty ? "" : "\n\(roff(operands))")
            .SH OPTIONS
            \(flags.map(entry).joined(separator: "\n"))
            .SH NOTES
            \(paragraphs(notes))
            .SH ENVIRONMENT
            Each setting can also come from a variable:
            .B \\-\\-\(roff(example.name))
            from
            .BR \(environmentName(of: example)) .
            A switch is 1 or 0; what may be given several times is separated by commas.
            A variable with this prefix that is no setting is an error.
            An empty one is one that is not set.
            .SH FILES
            The file that
            .B \\-\\-config
            names is a JSON object whose keys are the names of the flags; a switch is true or false, and what may be given
            several times an array. A flag wins over the environment, and that over the file.\(seeAlso)
            """
    }

    /// The name of the manual page.
    private var title: String { name.replacing(" ", with: "-") }

    private var seeAlso: String {
        guard !subcommands.isEmpty else { return "" }
        let pages = subcommands.map { "\(roff($0.program.title)) (\($0.program.section))" }
        return "\n.SH SEE ALSO\n" + pages.map { ".BR \($0)" }.joined(separator: " ,\n")
    }

    private func entry(_ flag: Flag) -> String {
        let value = flag.value.map { " \\fI\(roff($0))\\fR" } ?? ""
        var text = roff(flag.meaning.replacing("\n", with: " "))
        if let fallback = flag.fallback { text += " The default is \(roff(fallback))." }
        if flag.has(.repeatable) { text += " May be given several times." }
        if flag.has(.live) { text += " A running server applies a new value on SIGHUP." }
        // roff wants each sentence to begin a line.
        text = text.replacing(". ", with: ".\n")
        return ".TP\n\\fB\\-\\-\(roff(flag.name))\\fR\(value)\n\(text)"
    }

    /// Turns the blank lines of `--help` into paragraphs.
    private func paragraphs(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? ".PP" : roff(String($0)) }.joined(separator: "\n")
    }

    private func roff(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }

    private func day(_ date: String?) -> String {
        var (seconds, parts) = (date.flatMap { time_t($0) } ?? time(nil), tm())
        gmtime_r(&seconds, &parts)
        let twoDigits = { (number: Int32) in (number < 10 ? "0" : "") + "\(number)" }
        return "\(parts.tm_year + 1900)-\(twoDigits(parts.tm_mon + 1))-\(twoDigits(parts.tm_mday))"
    }
}
