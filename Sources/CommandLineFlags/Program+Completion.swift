/// A shell that completes flags.
enum Shell: String, CaseIterable {
    case bash, zsh, fish
}

extension Program {
    /// Returns a script with which a shell completes this program's flags and their values.
    func completion(for name: String) throws(FlagError) -> String {
        switch Shell(rawValue: name) {
        case .bash: return bash
        case .zsh: return zsh
        case .fish: return fish
        case nil:
            let all = Shell.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badValue("completion", name, "must be one of \(all)")
        }
    }

    private var shown: [Flag] { flags.filter { !$0.has(.hidden) } }

    private var bash: String {
        subcommands.map { $0.program.bashFunction([]) + "\n" }.joined() + bashFunction(subcommands.map(\.word))
            + "\ncomplete -F _\(identifier) \(name)"
    }

    /// - Parameter words: the subcommands that may come first instead of a flag, each with a function of its own.
    private func bashFunction(_ words: [String]) -> String {
        let values = shown.filter { $0.value != nil }.map { flag in
            let source =
                flag.has(.file) ? "-f" : flag.choices.isEmpty ? nil : "-W '\(flag.choices.joined(separator: " "))'"
            let reply = source.map { "mapfile -t COMPREPLY < <(compgen \($0) -- \"$current\")" } ?? "COMPREPLY=()"
            return "        --\(flag.name)) \(reply); return ;;\n"
        }
        let others = words.map { "        \($0)) _\(identifier)_\($0); return ;;\n" }
        let branch =
            words.isEmpty ? "" : "    ((COMP_CWORD > 1)) && case ${COMP_WORDS[1]} in\n\(others.joined())    esac\n"
        let first = words.isEmpty ? "" : "    ((COMP_CWORD == 1)) && words+=' \(words.joined(separator: " "))'\n"
        return """
            _\(identifier)() {
                local current=${COMP_WORDS[COMP_CWORD]} words='\(shown.map { "--\($0.name)" }.joined(separator: " "))'
            \(branch)    case ${COMP_WORDS[COMP_CWORD - 1]} in
            \(values.joined())    esac
            \(first)    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
            }
            """
    }

    private var zsh: String {
        let branches = subcommands.map { command in
            "\(command.word))\n    shift words; ((CURRENT--))\n    _arguments -s \\\n\(command.program.zshFlags)\n    return ;;\n"
        }
        guard !branches.isEmpty else { return "#compdef \(name)\n_arguments -s \\\n\(zshFlags)" }
        let words = subcommands.map(\.word).joined(separator: " ")
        return """
            #compdef \(name)
            ((CURRENT > 2)) && case $words[2] in
            \(branches.joined())esac
            _arguments -s \\
                '1:command:(\(words))' \\
            \(zshFlags)
            """
    }

    private var zshFlags: String {
        shown.map { flag in
            let values =
                flag.has(.file) ? "_files" : flag.choices.isEmpty ? " " : "(\(flag.choices.joined(separator: " ")))"
            let value = flag.value.map { ":\($0.escaped("\\:")):\(values)" } ?? ""
            let line = "--\(flag.name)[\(flag.sentence.escaped("\\[]:"))]\(value)"
            return "    '\(flag.has(.repeatable) ? "*" : "")\(line.replacing("'", with: "'\\''"))'"
        }.joined(separator: " \\\n")
    }

    private var fish: String {
        guard !subcommands.isEmpty else { return fishFlags(of: name, when: "") }
        let words = subcommands.map(\.word).joined(separator: " ")
        let own = fishFlags(of: name, when: " -n 'not __fish_seen_subcommand_from \(words)'")
        let others = subcommands.flatMap { command in
            [
                "complete -c \(name) -n __fish_use_subcommand -a \(command.word) -d '\(command.program.summary.escaped("\\'"))'",
                command.program.fishFlags(of: name, when: " -n '__fish_seen_subcommand_from \(command.word)'"),
            ]
        }
        return ([own] + others).joined(separator: "\n")
    }

    private func fishFlags(of command: String, when condition: String) -> String {
        shown.map { flag in
            let value =
                flag.value == nil
                ? ""
                : flag.has(.file)
                    ? " -r -F" : " -x" + (flag.choices.isEmpty ? "" : " -a '\(flag.choices.joined(separator: " "))'")
            let meaning = flag.sentence.escaped("\\'")
            return "complete -c \(command)\(condition) -l \(flag.name)\(value) -d '\(meaning)'"
        }.joined(separator: "\n")
    }

    private var identifier: String {
        String(name.map { $0.isLetter ? $0 : "_" })
    }
}

extension Flag {
    /// The first sentence of the meaning.
    fileprivate var sentence: String {
        let line = meaning.replacing("\n", with: " ")
        return line.firstRange(of: ". ").map { String(line[..<$0.lowerBound]) } ?? line
    }
}

extension String {
    /// Returns the text with a backslash before each of `characters`.
    fileprivate func escaped(_ characters: String) -> String {
        reduce(into: "") { text, character in
            if characters.contains(character) { text += "\\" }
            text.append(character)
        }
    }
}
