import Glibc

/// The request that a command line makes of a program.
package enum Invocation<Options> {
    /// Do the program's work.
    case run(Options, FlagValues)
    /// Print a text; `aside` goes to standard error. The exit status is 0.
    case answer(String, aside: String)
    /// Report the mistakes. The exit status is 2.
    case refused([FlagError])
}

extension Program {
    /// Reads all sources, and answers flags that request something other than the program's work.
    ///
    /// - Parameters:
    ///   - arguments: the arguments, with the program's name in front.
    ///   - understand: makes options of the values. An error is reported with the place that the value came from.
    ///   - parent: the program that this is a subcommand of.
    ///   - check: checks more for `--check-config`, such as the files that are named.
    package func invocation<Options>(
        _ arguments: [String], environment: [String: String], version: String, of parent: Program? = nil,
        understand: (FlagValues) throws(FlagError) -> Options,
        check: (Options) throws(FlagError) -> Void = { _ in }
    ) -> Invocation<Options> {
        do throws(FlagError) {
            let values = try read(arguments, environment: environment, of: parent)
            if values.isOn("help") { return .answer(help, aside: "") }
            if values.isOn("version") { return .answer("\(name) \(version)", aside: "") }
            if values.isOn("man") {
                return .answer(manual(version: version, date: environment["SOURCE_DATE_EPOCH"]), aside: "")
            }
            if let shell = values["completion"] {
                // A shell asks for completions of the command, not of one of its subcommands.
                return .answer(try (parent ?? self).completion(for: shell), aside: "")
            }
            if values.isOn("print-config"), values.faults.isEmpty { return .answer(values.file, aside: values.sources) }
            if values.isOn("check-config") { return values.verdict(understand, check) }
            let (options, errors) = values.understood(understand)
            return options.map { .run($0, values) } ?? .refused(errors)
        } catch {
            if case .several(let errors) = error { return .refused(errors) }
            return .refused([error])
        }
    }
}

extension Program {
    /// Reads all sources. Performs a request other than the program's work, and then ends the program.
    ///
    /// - Parameter parent: the program that this is a subcommand of.
    package func begin<Options>(
        environment: [String: String], version: String, of parent: Program? = nil,
        understand: (FlagValues) throws(FlagError) -> Options,
        check: (Options) throws(FlagError) -> Void = { _ in }
    ) -> (options: Options, values: FlagValues) {
        let arguments = parent == nil ? ProcessArguments.all : [name] + ProcessArguments.all.dropFirst(2)
        let invocation = invocation(
            arguments, environment: environment, version: version, of: parent, understand: understand, check: check)
        switch invocation {
        case .run(let options, let values):
            return (options, values)
        case .answer(let text, let aside):
            if !aside.isEmpty { Console.writeError(aside) }
            Console.answer(text, by: name)
        case .refused(let errors):
            Console.writeError(errors.map { "\(name): \($0)" }.joined(separator: "\n"))
            exit(2)
        }
    }
}

extension FlagValues {
    fileprivate func verdict<Options>(
        _ understand: (FlagValues) throws(FlagError) -> Options, _ check: (Options) throws(FlagError) -> Void
    ) -> Invocation<Options> {
        let (_, errors) = understood { values throws(FlagError) in try check(understand(values)) }
        return errors.isEmpty ? .answer("ok", aside: "") : .refused(errors)
    }

    /// Returns the options, or all mistakes: a refused value is removed, and the rest is read again. A mistake that
    /// only follows from another one is not told.
    fileprivate func understood<Options>(
        _ understand: (FlagValues) throws(FlagError) -> Options
    ) -> (Options?, [FlagError]) {
        var values = self
        values.noteRelations()
        var errors = values.faults
        while true {
            do throws(FlagError) {
                let options = try understand(values)
                return (errors.isEmpty ? options : nil, errors)
            } catch {
                if !values.isConsequence(error) { errors.append(values.located(error)) }
                guard values.refuse(error) else { return (nil, errors) }
            }
        }
    }
}
