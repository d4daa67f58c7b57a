/// The reason why the program cannot use the whole screen. It can still write lines.
package enum TerminalError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Standard input or output is a file or a pipe.
    case noTerminal
    /// The terminal cannot place its cursor, or is unknown.
    case tooSimple(String)
    /// The locale has no UTF-8.
    case noUnicode

    package var description: String {
        switch self {
        case .noTerminal: "standard input and output are not a terminal"
        case .tooSimple(let name): "the terminal '\(name)' is too simple, or not known here"
        case .noUnicode: "there is no locale with UTF-8"
        }
    }
}
