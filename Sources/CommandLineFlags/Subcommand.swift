import Glibc

/// A word that may come first on a program's command line, with flags and work of its own: `diffroomd backup`.
package struct Subcommand: Sendable {
    /// Its command line, under the names of the program and the subcommand.
    package let program: Program
    /// Does the work and ends the program.
    private let work: @Sendable () throws -> Never

    package init(_ program: Program, work: @escaping @Sendable () throws -> Never) {
        (self.program, self.work) = (program, work)
    }

    /// The last word of its name.
    var word: String { String(program.name.split(separator: " ").last ?? "") }

    /// Does the work and ends the program, with status 1 if the work fails.
    fileprivate func run() -> Never {
        do {
            try work()
        } catch {
            Console.writeError("\(program.name): \(error)")
            exit(1)
        }
    }
}

extension Program {
    /// Runs the subcommand that the process was started with. Returns if there is none.
    package func runSubcommand() {
        let word = ProcessArguments.all.dropFirst().first
        subcommands.first { $0.word == word }?.run()
    }
}
