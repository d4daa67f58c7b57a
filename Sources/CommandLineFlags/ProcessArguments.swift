import CStartup

/// The words that the process was started with, beginning with the program's name.
package enum ProcessArguments {
    package static let all: [String] = {
        guard let words = startup_arguments() else { return CommandLine.arguments }
        return (0..<Int(startup_argument_count())).compactMap { words[$0].map { String(cString: $0) } }
    }()
}
